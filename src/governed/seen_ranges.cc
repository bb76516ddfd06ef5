#include "governed/seen_ranges.h"

#include <algorithm>
#include <utility>

#include "engine/records/keys.h"
#include "expr/rules/rule.h"

namespace tavola::governed {
namespace {

const engine::IndexSchema* index_of(const engine::TableSchema& table, engine::IndexId id) {
  const auto found = std::ranges::find(table.indexes, id, &engine::IndexSchema::id);
  return found == table.indexes.end() ? nullptr : &*found;
}

Result<QueryRequest> query_of(const engine::TableSchema& table, const engine::IndexSchema* index,
                              const PackedItem& hash, store::Direction direction) {
  QueryRequest request{.table_name = table.description.table_name};
  if (index != nullptr) request.index_name = index->name;
  request.consistent_read = index == nullptr || index->kind == engine::IndexKind::Local;
  request.scan_index_forward = direction == store::Direction::Forward;
  expr::ExpressionParts parts;
  for (const auto& [name, value] : hash.unpack()) {
    const std::string attribute = parts.name(name);
    request.key_condition_expression += (request.key_condition_expression.empty() ? "" : " AND ") + attribute;
    request.key_condition_expression += " = " + parts.value(value);
  }
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  return request;
}

bool is_in(const store::KeyRange& range, const std::string& key) {
  return key >= range.from && (range.to.empty() || key < range.to);
}

}  // namespace

Result<RangePages> RangePages::of(Database& remote, const TransactionTables& tables,
                                  const store::KeyRange& range, store::Direction direction) {
  RangePages pages;
  pages.remote_ = &remote;
  TAVOLA_TRY(pages.table_, tables.table_of(range.from));
  if (pages.table_ == nullptr) return fail(Error(ErrorCode::Stale, "a table was deleted while it was read"));
  TAVOLA_TRY(const engine::Partition partition, engine::partition_of(*pages.table_, range.from));
  pages.index_ = index_of(*pages.table_, partition.index);
  pages.range_ = range;
  TAVOLA_TRY(pages.request_, query_of(*pages.table_, pages.index_, partition.hash, direction));
  return pages;
}

Result<std::optional<store::RangeEntries>> RangePages::next() {
  if (is_over_) return std::nullopt;
  TAVOLA_TRY(QueryResponse page, remote_->query(request_));
  store::RangeEntries entries;
  for (const PackedItem& item : page.items) {
    const std::optional<std::string> key = index_ == nullptr
                                               ? std::optional(engine::item_key(*table_, item.view()))
                                               : engine::index_entry_key(*table_, *index_, item.view());
    if (key && is_in(range_, *key)) entries.push_back({*key, item.bytes()});
  }
  is_over_ = !page.last_evaluated_key;
  request_.exclusive_start_key = std::move(page.last_evaluated_key);
  return entries;
}

Result<store::RangeEntries> read_range(Database& remote, const TransactionTables& tables,
                                       const store::RangeRead& range) {
  TAVOLA_TRY(RangePages pages, RangePages::of(remote, tables, range.range, range.direction));
  store::RangeEntries entries;
  std::size_t bytes = 0;
  for (;;) {
    TAVOLA_TRY(std::optional<store::RangeEntries> page, pages.next());
    if (!page) return entries;
    for (store::RangeEntry& entry : *page) {
      bytes += entry.value.size();
      entries.push_back(std::move(entry));
      if (entries.size() >= range.entries_max || bytes >= range.bytes_max) return entries;
    }
  }
}

}  // namespace tavola::governed
