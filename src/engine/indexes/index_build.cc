#include "engine/indexes/index_build.h"

#include <optional>
#include <vector>

#include "engine/records/keys.h"
#include "engine/write/index_entries.h"

namespace tavola::engine {
namespace {

// Adds the entries of the next items to the index that is being built, and moves its position behind them. Returns whether the
// index is complete. If the reads of the change wait afterwards, its result is not to be used.
bool take_step(Catalog::TableChange& change, const BuildStep& most) {
  TableRecord& description = change.description;
  const TableSchema& table = change.table;
  const IndexSchema& index = *table.find_index(description.index_build->index);
  store::RangeRead read{.range = entry_range(table.id, kTableItself, 0, 0x10000),
                        .entries_max = most.items,
                        .bytes_max = most.bytes};
  if (!description.index_build_position.empty()) read.range.from = description.index_build_position + '\0';
  const store::RangeEntries* const entries = change.reads.find(read);
  if (entries == nullptr) return false;
  std::size_t bytes = 0;
  IndexChange total;
  for (const store::RangeEntry& entry : *entries) {
    const IndexChange added = change_index(table, index, std::nullopt, ItemView(entry.value), change.also);
    total.items += added.items;
    total.bytes += added.bytes;
    bytes += entry.value.size();
  }
  if (total.items > 0) {
    std::vector<std::int64_t> deltas(2 * (std::size_t{index.id.value()} + 1));
    deltas[deltas.size() - 2] = total.items;
    deltas[deltas.size() - 1] = total.bytes;
    change.also.push_back(store::Write::add(counters_key(table.id), deltas));
  }
  const bool is_last = entries->size() < read.entries_max && bytes < read.bytes_max;
  if (is_last) description.index_build.reset();
  description.index_build_position = is_last ? "" : entries->back().key;
  return is_last;
}

}  // namespace

Result<bool> build_some(Catalog& catalog, const std::string& table_name, const BuildStep& step) {
  bool is_done = true;
  const auto change = [&](Catalog::TableChange& changed) -> Result<void> {
    is_done = !changed.description.index_build || take_step(changed, step);
    return {};
  };
  const Result<SchemaPtr> updated = catalog.update_any(table_name, change);
  if (!updated && updated.error().code() == ErrorCode::ResourceNotFound) return true;
  if (!updated) return fail(updated.error());
  TAVOLA_CHECK(catalog.find(table_name));  // for waiting writers: one looks it up, not all of them at once
  return is_done;
}

}  // namespace tavola::engine
