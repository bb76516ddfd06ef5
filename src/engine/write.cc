#include "engine/write.h"

#include <algorithm>
#include <array>

#include "engine/index_entries.h"
#include "engine/keys.h"
#include "engine/messages.h"

namespace tavola::engine {
namespace {

Error condition_failure(const ItemWrite& write, const std::optional<ItemView>& before) {
  const bool wants_item = write.on_condition_failure == ReturnValuesOnConditionCheckFailure::AllOld;
  return condition_failed(wants_item && before ? std::make_shared<ConditionFailure>(PackedItem(*before))
                                               : nullptr);
}

std::int64_t size_of(const std::optional<ItemView>& item) {
  return item ? static_cast<std::int64_t>(item_size(*item)) : 0;
}

// Counts and bytes, two per index id, the table itself first: what Write::add adds to the table's counters.
class CounterDeltas {
 public:
  explicit CounterDeltas(const TableSchema& table)
      : deltas_(2 * (table.indexes.empty() ? 1 : table.indexes.back().id.value() + std::size_t{1})) {}

  void add(IndexId index, std::int64_t items, std::int64_t bytes) {
    deltas_[2 * index.value()] += items;
    deltas_[2 * index.value() + 1] += bytes;
  }
  bool any() const {
    return std::ranges::any_of(deltas_, [](std::int64_t delta) { return delta != 0; });
  }
  std::span<const std::int64_t> values() const { return deltas_; }

 private:
  std::vector<std::int64_t> deltas_;
};

// Everything that changes in the store when `before` becomes `after`.
store::Decision decide(const ItemWrite& write, const std::optional<ItemView>& before,
                       const std::optional<ItemView>& after, UsedUnits& units) {
  const TableSchema& table = write.table;
  const std::int64_t old_size = size_of(before);
  const std::int64_t new_size = size_of(after);
  units.table = write_units(static_cast<std::size_t>(std::max(old_size, new_size)));

  store::Decision decision;
  if (before == after) {
    return decision;  // nothing to write, nothing to count; it still cost its units
  }
  CounterDeltas counters(table);
  counters.add(kTableItself, (after ? 1 : 0) - (before ? 1 : 0), new_size - old_size);
  std::int64_t collection_bytes = new_size - old_size;
  for (std::size_t i = 0; i < table.indexes.size(); ++i) {
    const IndexSchema& index = table.indexes[i];
    const IndexChange change = change_index(table, index, before, after, decision.writes);
    units.by_index[i] = change.units;
    counters.add(index.id, change.items, change.bytes);
    collection_bytes += index.kind == IndexKind::Local ? change.bytes : 0;
  }
  if (counters.any()) {
    decision.writes.push_back(store::Write::add(counters_key(table.id), counters.values()));
  }
  if (table.has_local_index && collection_bytes != 0) {
    const std::array deltas{collection_bytes};
    decision.writes.push_back(store::Write::add(collection_key(table, after ? *after : *before), deltas));
  }
  decision.writes.push_back(after ? store::Write::put(write.key, std::string(after->bytes()))
                                  : store::Write::erase(write.key));
  return decision;
}

}  // namespace

Result<WrittenItem> write_item(store::Store& store, const ItemWrite& write) {
  WrittenItem written(write.table);
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    std::optional<ItemView> before;
    written = WrittenItem(write.table);  // nothing may be left from an earlier call of the rule
    if (const auto stored = view[0]) {
      before.emplace(*stored);
      if (write.keep == KeepBefore::Yes) {
        written.before.emplace(*before);
      }
    }
    if (!write.condition.holds(before ? *before : ItemView())) {
      return fail(condition_failure(write, before));
    }
    TAVOLA_TRY(written.after, write.change(before));
    std::optional<ItemView> after;
    if (written.after) {
      after = written.after->view();
    }
    return decide(write, before, after, written.units);
  };
  const std::string catalog = catalog_key(write.table.description.table_name);
  const std::array guards{store::Guard{catalog, write.table.record}};
  TAVOLA_CHECK(store.transact(std::span(&write.key, 1), guards, rule));
  return written;
}

}  // namespace tavola::engine
