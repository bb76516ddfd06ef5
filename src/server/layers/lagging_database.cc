#include "server/layers/lagging_database.h"

#include <algorithm>

namespace tavola::server {
namespace {

Result<Page> read(Database& database, const QueryRequest& request) { return database.query(request); }
Result<Page> read(Database& database, const ScanRequest& request) { return database.scan(request); }

bool has_index(const TableDescription& table, const std::string& index) {
  const bool is_there =
      std::ranges::find(table.global_indexes, index, &GlobalIndex::name) != table.global_indexes.end();
  return is_there && !(table.index_build && table.index_build->index == index);
}

}  // namespace

// The present decides about errors and permissions: AWS knows new tables and indexes at once. The index of a table that
// did not exist yet is empty.
template <class Request>
Page LaggingDatabase::read_past(ItemOperation operation, const Request& request, Page now) {
  if (request.index_name.empty()) return now;
  const std::chrono::milliseconds lag = faults_.index_lag(operation, request.table_name);
  if (lag.count() == 0) return now;
  const DescribeTableRequest table{.table_name = request.table_name};
  const Result<DescribeTableResponse> described = database().describe_table(table);
  if (!described || !has_index(described->table, request.index_name)) return now;  // a local one does not lag
  const std::shared_ptr<Database> past = views_.find(lag);
  if (past == nullptr) return now;
  faults_.note_lag();
  const Result<DescribeTableResponse> before = past->describe_table(table);
  const bool was_there = before && before->table.table_id == described->table.table_id &&
                         has_index(before->table, request.index_name);
  if (was_there) {
    if (Result<Page> page = read(*past, request)) return *std::move(page);
  }
  now.items.clear();
  now.count = now.scanned_count = 0;
  now.last_evaluated_key.reset();
  return now;
}

Result<QueryResponse> LaggingDatabase::query(const QueryRequest& request) {
  TAVOLA_TRY(Page now, database().query(request));
  return read_past(ItemOperation::Query, request, std::move(now));
}

Result<ScanResponse> LaggingDatabase::scan(const ScanRequest& request) {
  TAVOLA_TRY(Page now, database().scan(request));
  return read_past(ItemOperation::Scan, request, std::move(now));
}

}  // namespace tavola::server
