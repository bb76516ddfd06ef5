#include "engine/write/index_entries.h"

#include <algorithm>

#include "engine/records/keys.h"
#include "engine/write/capacity.h"

namespace tavola::engine {
namespace {

struct Entry {
  std::string key;
  std::string value;
  std::size_t size;  // as DynamoDB charges it
};

std::optional<Entry> entry_of(const TableSchema& table, const IndexSchema& index,
                              const std::optional<ItemView>& item) {
  if (!item) {
    return std::nullopt;
  }
  std::optional<std::string> key = index_entry_key(table, index, *item);
  if (!key) {
    return std::nullopt;
  }
  Entry entry{*std::move(key), {}, 0};
  entry.value = index.projection.type == ProjectionType::All ? std::string(item->bytes())
                                                             : project(*item, index.projected).bytes();
  entry.size = item_size(ItemView(entry.value));
  return entry;
}

}  // namespace

// The cost follows "Write operations" of global secondary indexes in the Developer Guide: a new or removed
// entry is one write, a changed entry one write of the larger size, a changed key a removal and a new entry.
IndexChange change_index(const TableSchema& table, const IndexSchema& index,
                         const std::optional<ItemView>& before, const std::optional<ItemView>& after,
                         std::vector<store::Write>& writes) {
  std::optional<Entry> old_entry = entry_of(table, index, before);
  std::optional<Entry> new_entry = entry_of(table, index, after);
  IndexChange change;
  if (old_entry && new_entry && old_entry->key == new_entry->key) {
    if (old_entry->value == new_entry->value) {
      return change;
    }
    change.units = write_units(std::max(old_entry->size, new_entry->size));
  } else {
    change.units =
        (old_entry ? write_units(old_entry->size) : 0) + (new_entry ? write_units(new_entry->size) : 0);
    if (old_entry) {
      writes.push_back(store::Write::erase(old_entry->key));
    }
  }
  if (old_entry) {
    change.items -= 1;
    change.bytes -= static_cast<std::int64_t>(old_entry->size);
  }
  if (new_entry) {
    change.items += 1;
    change.bytes += static_cast<std::int64_t>(new_entry->size);
    writes.push_back(store::Write::put(std::move(new_entry->key), std::move(new_entry->value)));
  }
  return change;
}

std::size_t local_entries_size(const TableSchema& table, const ItemView& item) {
  std::size_t bytes = 0;
  for (const IndexSchema& index : table.indexes) {
    if (index.kind != IndexKind::Local) continue;
    if (const std::optional<Entry> entry = entry_of(table, index, item)) bytes += entry->size;
  }
  return bytes;
}

PackedItem project(const ItemView& item, const std::vector<std::string>& names) {
  ItemWriter writer;
  auto wanted = names.begin();
  for (const auto& [name, value] : item) {
    while (wanted != names.end() && *wanted < name) {
      ++wanted;
    }
    if (wanted == names.end()) {
      break;
    }
    if (*wanted == name) {
      writer.name(name);
      writer.value(value);
    }
  }
  return std::move(writer).finish();
}

}  // namespace tavola::engine
