#include "engine/read/page.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/records/keys.h"
#include "engine/write/index_entries.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// Collects a page entry by entry.
class PageBuilder {
 public:
  PageBuilder(const PageScan& scan, const store::Snapshot& snapshot) : scan_(scan), snapshot_(snapshot) {}

  Result<void> add(const ItemView& entry) {
    ++page_.scanned_count;
    entry_bytes_ += item_size(entry);
    if (!scan_.fetch_items) {
      take(entry);
      return {};
    }
    TAVOLA_TRY(const std::optional<std::string> stored, snapshot_.get(item_key(scan_.table, entry)));
    if (!stored) {
      return fail(Error::corrupt("An entry of index '" + scan_.index->name + "' of table '" +
                                 scan_.table.description.table_name + "' has no item."));
    }
    const ItemView item(*stored);
    const std::size_t item_bytes = item_size(item);
    fetched_bytes_ += item_bytes;
    fetched_units_ += read_units(item_bytes, scan_.consistency);
    take(item);
    return {};
  }

  // As on AWS, reading stops at Limit items, or when the items read (before the filter) reach 1 MB. Fetched items count
  // as well, or a page over small index entries of large items would be unbounded.
  bool full() const {
    return (scan_.limit && page_.scanned_count >= *scan_.limit) ||
           std::max(entry_bytes_, fetched_bytes_) >= limits::kPageBytesMax;
  }

  Page finish(ReturnConsumedCapacity asked) {
    UsedUnits used(scan_.table);
    used.table = fetched_units_;
    const double units = read_units(entry_bytes_, scan_.consistency);
    if (scan_.index == nullptr) {
      used.table += units;
    } else {
      used.by_index[static_cast<std::size_t>(scan_.index - scan_.table.indexes.data())] = units;
    }
    page_.consumed_capacity = consumed_capacity(scan_.table, used, CapacityKind::Read, asked);
    return std::move(page_);
  }

  void stop_after(const ItemView& entry) {
    page_.last_evaluated_key = project(entry, position_attributes(scan_.table, scan_.index));
  }

 private:
  void take(const ItemView& item) {
    if (!scan_.filter.holds(item)) {
      return;
    }
    ++page_.count;
    if (!scan_.count_only) {
      page_.items.push_back(scan_.projection.empty() ? PackedItem(item) : scan_.projection.apply(item));
    }
  }

  const PageScan& scan_;
  const store::Snapshot& snapshot_;
  Page page_;
  std::size_t entry_bytes_ = 0;
  std::size_t fetched_bytes_ = 0;
  double fetched_units_ = 0;
};

Error too_much_unseen(const PageScan& scan) {
  const std::string where =
      scan.index == nullptr ? "the table" : "the index " + scan.index->name + " of the table";
  return {ErrorCode::AccessDenied,
          "Reading " + where + " " + scan.table.description.table_name +
              " met too many items that you may not read. Ask with a narrower key condition."};
}

}  // namespace

Result<Page> read_page(const store::Store& store, const PageScan& scan, ReturnConsumedCapacity asked) {
  const auto snapshot = store.snapshot_for_answer();
  const auto cursor = snapshot->range(scan.range, scan.direction);
  PageBuilder builder(scan, *snapshot);
  std::size_t unseen_bytes = 0;
  for (; cursor->valid(); cursor->next()) {
    const ItemView entry(cursor->value());
    TAVOLA_TRY(const bool may_see, scan.may_see ? scan.may_see(entry) : Result<bool>(true));
    // An invisible entry ends no page either: LastEvaluatedKey would reveal its key.
    if (!may_see) {
      unseen_bytes += item_size(entry);
      if (unseen_bytes > kUnseenBytesMax) return fail(too_much_unseen(scan));
      continue;
    }
    TAVOLA_CHECK(builder.add(entry));
    if (builder.full()) {
      builder.stop_after(entry);
      break;
    }
  }
  TAVOLA_CHECK(cursor->status());
  return builder.finish(asked);
}

std::vector<std::string> position_attributes(const TableSchema& table, const IndexSchema* index) {
  std::vector<std::string> names;
  for (const KeyShape* shape : {&table.key, index != nullptr ? &index->key : nullptr}) {
    if (shape != nullptr) {
      for (const auto* attributes : {&shape->hash, &shape->range}) {
        std::ranges::transform(*attributes, std::back_inserter(names), &KeyAttribute::name);
      }
    }
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

std::string position_key(const TableSchema& table, const IndexSchema* index, const ItemView& position) {
  if (index == nullptr) {
    return item_key(table, position);
  }
  std::optional<std::string> key = index_entry_key(table, *index, position);
  TAVOLA_ASSERT(key.has_value());
  return *std::move(key);
}

}  // namespace tavola::engine
