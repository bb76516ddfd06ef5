#include "engine/checks/key_checks.h"

#include <algorithm>

#include "engine/checks/messages.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

bool is_empty(ValueView value) { return value.type() != Type::Number && value.ordered_bytes().empty(); }

std::size_t bytes_max(KeyType role) {
  return role == KeyType::Hash ? limits::kPartitionKeyBytesMax : limits::kSortKeyBytesMax;
}

bool is_too_long(ValueView value, KeyType role) {
  return value.type() != Type::Number && value.ordered_bytes().size() > bytes_max(role);
}

Result<void> check_index_key(const IndexSchema& index, const KeyAttribute& attribute, KeyType role,
                             ValueView value, WrittenBy written_by) {
  const bool by_put = written_by == WrittenBy::Put;
  if (value.type() != attribute.type) {
    return fail(by_put ? index_key_type_mismatch(attribute.name, attribute.type, value.type(), index.name)
                       : index_key_type_unsupported());
  }
  if (is_empty(value)) {
    return fail(by_put ? empty_index_key(attribute.name, attribute.type, index.name)
                       : empty_index_key_in_update(attribute.type));
  }
  if (is_too_long(value, role)) {
    const std::size_t bytes = value.ordered_bytes().size();
    return fail(by_put ? index_key_too_long(attribute.name, bytes, bytes_max(role), index.name)
                       : index_key_too_long_in_update());
  }
  return {};
}

}  // namespace

Result<void> check_key_value(const KeyAttribute& attribute, ValueView value, KeyType role) {
  if (value.type() != attribute.type) {
    return fail(key_does_not_match_schema());
  }
  if (is_empty(value)) {
    return fail(empty_key(attribute.name, attribute.type));
  }
  if (is_too_long(value, role)) {
    return fail(role == KeyType::Hash ? hash_key_too_long() : range_key_too_long());
  }
  return {};
}

Result<void> check_key(const KeyShape& key, const ItemView& values) {
  if (values.size() != key.size()) {
    return fail(key_does_not_match_schema());
  }
  return key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
    const auto value = values.find(attribute.name);
    if (!value) {
      return fail(key_does_not_match_schema());
    }
    return check_key_value(attribute, *value, role);
  });
}

Result<void> check_item_key(const TableSchema& table, const ItemView& item) {
  return table.key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
    const auto value = item.find(attribute.name);
    if (!value) {
      return fail(missing_key(attribute.name));
    }
    if (value->type() != attribute.type) {
      return fail(key_type_mismatch(attribute.name, attribute.type, value->type()));
    }
    return check_key_value(attribute, *value, role);
  });
}

Result<void> check_index_keys(const TableSchema& table, const ItemView& item, WrittenBy written_by) {
  for (const IndexSchema& index : table.indexes) {
    TAVOLA_CHECK(index.key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
      const auto value = item.find(attribute.name);
      return value ? check_index_key(index, attribute, role, *value, written_by) : Result<void>();
    }));
  }
  return {};
}

Result<void> check_changed_index_keys(const TableSchema& table, const std::optional<ItemView>& before,
                                      const ItemView& item) {
  for (const IndexSchema& index : table.indexes) {
    TAVOLA_CHECK(index.key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
      const auto value = item.find(attribute.name);
      if (!value) return {};
      Result<void> fits = check_index_key(index, attribute, role, *value, WrittenBy::Put);
      if (!fits && before && before->find(attribute.name) == value) return {};
      return fits;
    }));
  }
  return {};
}

Result<void> check_updated_index_keys(const TableSchema& table, const ItemView& item,
                                      const std::vector<std::string>& updated) {
  for (const IndexSchema& index : table.indexes) {
    TAVOLA_CHECK(index.key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
      if (std::ranges::find(updated, attribute.name) == updated.end()) return {};
      const auto value = item.find(attribute.name);
      return value ? check_index_key(index, attribute, role, *value, WrittenBy::Update) : Result<void>();
    }));
  }
  return {};
}

Result<void> check_known_types(const TableSchema& table, const std::vector<expr::Update::KnownType>& known) {
  for (const auto& [name, type] : known) {
    for (const IndexSchema& index : table.indexes) {
      const KeyAttribute* attribute = index.key.find(name);
      if (attribute != nullptr && attribute->type != type) {
        return fail(index_key_type_mismatch(name, attribute->type, type, index.name));
      }
    }
  }
  return {};
}

Result<void> check_nested_paths(const TableSchema& table, const std::vector<std::string>& nested) {
  for (const std::string& attribute : nested) {
    if (table.key.find(attribute) != nullptr) {
      return fail(key_path_not_scalar("Key", attribute));
    }
    for (const IndexSchema& index : table.indexes) {
      if (index.key.find(attribute) != nullptr) {
        return fail(key_path_not_scalar("IndexKey", attribute));
      }
    }
  }
  return {};
}

}  // namespace tavola::engine
