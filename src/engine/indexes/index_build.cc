#include "engine/indexes/index_build.h"

#include <optional>
#include <utility>

#include "engine/records/keys.h"
#include "engine/write/index_entries.h"

namespace tavola::engine {
namespace {

// One step: the entries that the next items add to the index, and the position where they end.
class Portion {
 public:
  Portion(const store::Store& store, const TableSchema& table, const BuildStep& most)
      : store_(store), table_(table), most_(most) {}

  // Taken while no write is running, so it is current.
  Result<void> read() {
    const TableRecord& description = table_.description;
    const IndexSchema& index = *table_.find_index(description.index_build->index);
    const std::string& position = description.index_build_position;
    store::KeyRange range = entry_range(table_.id, kTableItself, 0, 0x10000);
    if (!position.empty()) range.from = position + '\0';
    const auto snapshot = store_.snapshot();
    const auto cursor = snapshot->range(range, store::Direction::Forward);
    std::size_t items = 0;
    std::size_t bytes = 0;
    IndexChange total;
    for (; cursor->valid() && items < most_.items && bytes < most_.bytes; cursor->next()) {
      const ItemView item(cursor->value());
      const IndexChange change = change_index(table_, index, std::nullopt, item, writes_);
      total.items += change.items;
      total.bytes += change.bytes;
      position_ = cursor->key();
      bytes += cursor->value().size();
      ++items;
    }
    TAVOLA_CHECK(cursor->status());
    is_last_ = !cursor->valid();
    count(index.id, total);
    return {};
  }

  bool is_last() const { return is_last_; }
  const std::string& position() const { return position_; }
  std::vector<store::Write>& writes() { return writes_; }

 private:
  void count(IndexId index, const IndexChange& total) {
    if (total.items == 0) return;
    std::vector<std::int64_t> deltas(2 * (std::size_t{index.value()} + 1));
    deltas[deltas.size() - 2] = total.items;
    deltas[deltas.size() - 1] = total.bytes;
    writes_.push_back(store::Write::add(counters_key(table_.id), deltas));
  }

  const store::Store& store_;
  const TableSchema& table_;
  const BuildStep& most_;
  std::vector<store::Write> writes_;
  std::string position_;
  bool is_last_ = false;
};

}  // namespace

Result<bool> build_some(store::Store& store, Catalog& catalog, const std::string& table_name,
                        const BuildStep& step) {
  bool is_done = true;
  const auto change = [&](const TableSchema& table, TableRecord& description,
                          std::vector<store::Write>& also) -> Result<void> {
    is_done = !description.index_build;
    if (is_done) return {};
    Portion portion(store, table, step);
    TAVOLA_CHECK(portion.read());
    also = std::move(portion.writes());
    is_done = portion.is_last();
    if (is_done) description.index_build.reset();
    description.index_build_position = is_done ? "" : portion.position();
    return {};
  };
  const Result<SchemaPtr> updated = catalog.update_schema(table_name, change);
  if (!updated && updated.error().code() == ErrorCode::ResourceNotFound) return true;
  if (!updated) return fail(updated.error());
  TAVOLA_CHECK(catalog.find(table_name));  // for waiting writers: one looks it up, not all of them at once
  return is_done;
}

}  // namespace tavola::engine
