#include "engine/write/stored_change.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "engine/write/change_log.h"
#include "engine/write/expiry_entries.h"
#include "engine/write/index_entries.h"
#include "engine/write/watch_entries.h"
#include "store/counters.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// The item, the counters of its table, the change log; index entries come on top.
constexpr std::size_t kWritesOfAnItem = 4;

std::int64_t size_of(const std::optional<ItemView>& item) {
  return item ? static_cast<std::int64_t>(item_size(*item)) : 0;
}

// Counts and bytes, two per index id, the table itself first: what Write::add adds to the table's counters.
class CounterDeltas {
 public:
  explicit CounterDeltas(const TableSchema& table)
      : deltas_(2 * (table.indexes.empty() ? 1 : table.indexes.back().id.value() + std::size_t{1})) {}

  void add(IndexId index, std::int64_t items, std::int64_t bytes) {
    const std::size_t at = std::size_t{2} * index.value();
    deltas_[at] += items;
    deltas_[at + 1] += bytes;
  }
  bool any() const {
    return std::ranges::any_of(deltas_, [](std::int64_t delta) { return delta != 0; });
  }
  std::span<const std::int64_t> values() const { return deltas_; }

 private:
  std::vector<std::int64_t> deltas_;
};

Result<void> check_collection(const StoredChange& change, std::int64_t growth) {
  if (growth > 0 && change.collection_bytes + growth > limits::kItemCollectionBytesMax) {
    return fail(collection_too_large());
  }
  return {};
}

}  // namespace

Result<void> append_writes(const StoredChange& change, UsedUnits& units, std::vector<store::Write>& writes) {
  const TableSchema& table = change.table;
  const std::string& key = change.key;
  const std::optional<ItemView>& before = change.before;
  const std::optional<ItemView>& after = change.after;
  const std::int64_t old_size = size_of(before);
  const std::int64_t new_size = size_of(after);
  units.table += write_units(static_cast<std::size_t>(std::max(old_size, new_size)));
  if (before == after) {
    return {};  // nothing to write, nothing to count; it still cost its units
  }
  if (writes.empty()) writes.reserve(kWritesOfAnItem + 2 * table.indexes.size());
  const auto append_item = [&] {
    writes.push_back(after ? store::Write::put(key, std::string(after->bytes())) : store::Write::erase(key));
  };
  if (is_record_key(key)) {
    append_item();  // our own: no index has it, and nobody counts it
    if (table.description.recovery) append_change(change, writes);
    return {};
  }
  const std::size_t writes_before = writes.size();
  CounterDeltas counters(table);
  counters.add(kTableItself, (after ? 1 : 0) - (before ? 1 : 0), new_size - old_size);
  std::int64_t collection_bytes = new_size - old_size;
  for (std::size_t i = 0; i < table.indexes.size(); ++i) {
    const IndexSchema& index = table.indexes[i];
    if (!is_kept(table, index, key)) {
      std::vector<store::Write> later;  // the build will do it; AWS charges the writer nevertheless
      units.by_index[i] += change_index(table, index, before, after, later).units;
      continue;
    }
    const IndexChange index_change = change_index(table, index, before, after, writes);
    units.by_index[i] += index_change.units;
    counters.add(index.id, index_change.items, index_change.bytes);
    collection_bytes += index.kind == IndexKind::Local ? index_change.bytes : 0;
  }
  if (const Result<void> fits = check_collection(change, collection_bytes); !fits) {
    writes.erase(writes.begin() + static_cast<std::ptrdiff_t>(writes_before), writes.end());
    return fits;
  }
  if (table.description.time_to_live_attribute) change_expiry(table, key, before, after, writes);
  if (table.rules) change_watch(table, key, before, after, writes);
  if (counters.any()) {
    writes.push_back(store::Write::add(counters_key(table.id), counters.values()));
  }
  if (table.has_local_index && collection_bytes != 0) {
    const std::array deltas{collection_bytes};
    writes.push_back(store::Write::add(collection_key(table, after ? *after : *before), deltas));
  }
  if (change.is_ours ? table.description.recovery.has_value() : keeps_log(table.description)) {
    append_change(change, writes);
  }
  append_item();
  return {};
}

void join_additions(std::vector<store::Write>& writes) {
  const auto is_addition = [](const store::Write& write) { return write.kind == store::Write::Kind::Add; };
  if (std::ranges::count_if(writes, is_addition) < 2) return;
  std::map<std::string_view, store::Write*> firsts;
  for (store::Write& write : writes) {
    if (!is_addition(write)) continue;
    const auto [first, is_first] = firsts.try_emplace(write.key, &write);
    if (!is_first && store::add_counters(first->second->value, write.value)) write.value.clear();
  }
  std::erase_if(writes, [&](const store::Write& write) { return is_addition(write) && write.value.empty(); });
}

}  // namespace tavola::engine
