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

Result<store::RangeEntries> read_range(Database& remote, const TransactionTables& tables,
                                       const store::RangeRead& range) {
  const SchemaPtr table = tables.table_of(range.range.from);
  if (table == nullptr) return fail(Error::internal("a rule asks for a range of another table"));
  TAVOLA_TRY(const engine::Partition partition, engine::partition_of(*table, range.range.from));
  const engine::IndexSchema* const index = index_of(*table, partition.index);
  TAVOLA_TRY(QueryRequest request, query_of(*table, index, partition.hash, range.direction));
  store::RangeEntries entries;
  std::size_t bytes = 0;
  for (;;) {
    TAVOLA_TRY(QueryResponse page, remote.query(request));
    for (const PackedItem& item : page.items) {
      const std::optional<std::string> key = index == nullptr
                                                 ? std::optional(engine::item_key(*table, item.view()))
                                                 : engine::index_entry_key(*table, *index, item.view());
      if (!key || !is_in(range.range, *key)) continue;
      bytes += item.bytes().size();
      entries.push_back({*key, item.bytes()});
      if (entries.size() >= range.entries_max || bytes >= range.bytes_max) return entries;
    }
    if (!page.last_evaluated_key) return entries;
    request.exclusive_start_key = std::move(page.last_evaluated_key);
  }
}

}  // namespace tavola::governed
