#include "design/items/entity_item.h"

#include "design/items/entity_mark.h"
#include "design/model/placeholder_text.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

// ---- Keys

// The part of the key, which determines its maximum length.
enum class KeyPart : std::uint8_t { Hash, Range };

std::size_t bytes_max(KeyPart part) {
  return part == KeyPart::Hash ? limits::kPartitionKeyBytesMax : limits::kSortKeyBytesMax;
}

struct EntityFields {
  const Entity& entity;
  const Item& fields;
};

Result<Value> required_key(const EntityFields& of, const Template& pattern, const KeyAttribute& attribute,
                           KeyPart part) {
  const Item& fields = of.fields;
  TAVOLA_TRY(std::optional<Value> key, pattern.render(fields, of.entity.forms(), attribute.type));
  if (key) {
    TAVOLA_CHECK(check_key_length(pattern, fields, *key, bytes_max(part)));
    return *std::move(key);
  }
  for (const std::string& field : pattern.fields()) {
    if (!fields.contains(field))
      return fail(Error::validation(field + " is required: it is part of the key"));
  }
  return fail(Error::internal("a key without a reason"));
}

// ---- Keys of indexes

// Returns the key of the lifecycle's state; nullopt if the state is not known.
Result<std::optional<Value>> state_key(const Entity& entity, const Lifecycle& lifecycle, const Item& fields,
                                       Type type) {
  const auto named = fields.find(lifecycle.name);
  if (named == fields.end() || !named->second.is_string()) return std::nullopt;
  const State* const state = lifecycle.find_state(named->second.string());
  if (state == nullptr || !state->key) {
    return fail(Error::validation(lifecycle.name + " has no state " + named->second.string()));
  }
  TAVOLA_TRY(std::optional<Value> key, state->key->render(fields, entity.forms(), type));
  if (key) return key;
  for (const std::string& field : state->key->fields()) {
    if (fields.contains(field)) continue;
    return fail(Error::validation(field + " is required when " + lifecycle.name + " is " + state->name));
  }
  return std::nullopt;
}

class IndexKeys {
 public:
  IndexKeys(const Entity& entity, const Item& fields) : entity_(entity), fields_(fields) {}

  Result<void> add(const Index& index, const IndexEntry& entry) {
    TAVOLA_TRY(const auto hash, key_from(entry.hash, index.hash, KeyPart::Hash));
    std::optional<Value> range;
    if (entry.range && index.range) {
      TAVOLA_TRY(range, key_from(*entry.range, *index.range, KeyPart::Range));
    }
    TAVOLA_TRY(const bool is_in, is_in_index(entry));
    const bool whole = is_in && hash && (range || !entry.range);
    put(index.hash, entry.hash, hash, whole);
    if (entry.range && index.range) put(*index.range, *entry.range, range, whole);
    return {};
  }

  Item take() && { return std::move(keys_); }

 private:
  Result<std::optional<Value>> key_from(const KeySource& source, const KeyAttribute& attribute,
                                        KeyPart part) const {
    if (source.from) {
      TAVOLA_TRY(std::optional<Value> key, source.from->render(fields_, entity_.forms(), attribute.type));
      if (key) TAVOLA_CHECK(check_key_length(*source.from, fields_, *key, bytes_max(part)));
      return key;
    }
    const Lifecycle* const lifecycle = entity_.find_lifecycle(source.lifecycle);
    if (lifecycle == nullptr) return std::nullopt;
    return state_key(entity_, *lifecycle, fields_, attribute.type);
  }

  Result<bool> is_in_index(const IndexEntry& entry) const {
    return entry.when ? entry.when->holds({.fields = &fields_}) : Result<bool>(true);
  }

  // An entry has both of its keys or none; but a state's key is the only place of the state, and is always
  // present.
  void put(const KeyAttribute& attribute, const KeySource& source, const std::optional<Value>& key,
           bool whole) {
    if (key && (whole || !source.lifecycle.empty())) keys_[attribute.name] = *key;
  }

  const Entity& entity_;
  const Item& fields_;
  Item keys_;
};

// Returns whether a field becomes an attribute of the same name: ids and states that are keys do not.
bool is_attribute(const Entity& entity, std::string_view name) {
  const Attribute* const field = entity.find_field(name);
  if (field != nullptr) return field->stored;
  const Lifecycle* const lifecycle = entity.find_lifecycle(name);
  return lifecycle == nullptr || !lifecycle->attribute.empty();
}

}  // namespace

Result<Item> key_of(const Design& design, const Entity& entity, const Item& fields) {
  Item key;
  const Table& table = design.table;
  TAVOLA_TRY(key[table.hash.name], required_key({entity, fields}, entity.hash, table.hash, KeyPart::Hash));
  if (table.range && entity.range) {
    TAVOLA_TRY(key[table.range->name],
               required_key({entity, fields}, *entity.range, *table.range, KeyPart::Range));
  }
  return key;
}

Result<Item> index_keys_of(const Design& design, const Entity& entity, const Item& fields) {
  IndexKeys keys(entity, fields);
  for (const IndexEntry& entry : entity.indexes) {
    const Index* const index = design.find_index(entry.index);
    if (index != nullptr) TAVOLA_CHECK(keys.add(*index, entry));
  }
  return std::move(keys).take();
}

Result<Item> to_item(const Design& design, const Entity& entity, const Item& fields) {
  TAVOLA_TRY(Item item, key_of(design, entity, fields));
  TAVOLA_TRY(Item index_keys, index_keys_of(design, entity, fields));
  item.merge(index_keys);  // the table's key wins over an index that shares it
  for (const auto& [name, value] : fields) {
    if (is_attribute(entity, name)) item.try_emplace(name, value);
  }
  if (!design.table.entity_attribute.empty()) {
    item.try_emplace(design.table.entity_attribute, entity_mark(design, entity));
  }
  return item;
}

}  // namespace tavola::design
