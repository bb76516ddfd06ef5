#include "server/requests/asked_for.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "database/forwarding_database.h"
#include "design/model/model.h"
#include "wire/codec/operations.h"
#include "wire/codec/request_tables.h"
#include "wire/service.h"

namespace tavola::server {
namespace {

void add(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

// Notes what a request asks of it, and does nothing: reads find nothing, writes change nothing. Only the description of a table is the real one,
// which statements need.
class NotingDatabase final : public ForwardingDatabase {
 public:
  NotingDatabase(Database& described, const TrafficDatabase* traffic)
      : ForwardingDatabase(described), traffic_(traffic) {}

  AskedFor take() { return std::move(asked_); }

  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    note_get(request.table_name, request.key);
    return GetItemResponse();
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    note_table(request.table_name, request.index_name);
    if (traffic_ != nullptr) note_patterns(traffic_->explain(request));
    return QueryResponse();
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    note_table(request.table_name, request.index_name);
    asked_.is_scan = true;
    if (traffic_ != nullptr) note_patterns(traffic_->explain(request));
    return ScanResponse();
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    for (const KeysToGet& keys : request.tables) {
      for (const PackedItem& key : keys.keys) note_get(keys.table_name, key);
    }
    return BatchGetItemResponse();
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    for (const GetItemRequest& get : request.gets) note_get(get.table_name, get.key);
    return TransactGetItemsResponse{.items = std::vector<std::optional<PackedItem>>(request.gets.size())};
  }
  Result<PutItemResponse> put_item(const PutItemRequest& request) override { return wrote(request); }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override { return wrote(request); }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override { return wrote(request); }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    for (const TableWrites& writes : request.tables) note_table(writes.table_name);
    return BatchWriteItemResponse();
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    for (const TransactWrite& write : request.actions) {
      std::visit([&](const auto& one) { note_table(one.table_name); }, write);
    }
    return TransactWriteItemsResponse();
  }

 private:
  void note_table(std::string_view table, std::string_view index = {}) {
    add(asked_.tables, table);
    if (!index.empty()) asked_.index = index;
  }
  void note_get(std::string_view table, const PackedItem& key) {
    note_table(table);
    if (traffic_ != nullptr) note_patterns(traffic_->explain_get(table, key));
  }
  void note_patterns(const std::optional<std::vector<std::string>>& names) {
    if (!names) return;
    if (!asked_.patterns) asked_.patterns.emplace();
    for (const std::string& name : *names) add(*asked_.patterns, name);
  }
  template <class Request>
  Result<WriteItemResponse> wrote(const Request& request) {
    note_table(request.table_name);
    return WriteItemResponse();
  }

  const TrafficDatabase* traffic_;
  AskedFor asked_;
};

// Operations that NotingDatabase answers all by itself, but for the descriptions of tables that statements ask for.
constexpr std::array<std::string_view, 5> kReads = {"BatchGetItem", "GetItem", "Query", "Scan",
                                                    "TransactGetItems"};
constexpr std::array<std::string_view, 3> kStatements = {"BatchExecuteStatement", "ExecuteStatement",
                                                         "ExecuteTransaction"};

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

// The path of a pattern or an operation: "GET /v1/music/songsOf?artist=a".
AskedFor AskedReader::read_design_path(std::string_view target) const {
  constexpr std::string_view kRoot = "/v1/";
  const std::size_t at = target.find(kRoot);
  if (parts_.designs == nullptr || at == std::string_view::npos) return {};
  std::string_view path = target.substr(at + kRoot.size());
  path = path.substr(0, path.find('?'));
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {};
  const DesignList served = parts_.designs->designs();
  const auto design = std::ranges::find(*served, path.substr(0, slash), &design::Design::name);
  if (design == served->end()) return {};
  AskedFor asked;
  asked.tables.push_back(design->table.name);
  const design::Pattern* const pattern = design->find_pattern(path.substr(slash + 1));
  if (pattern == nullptr) return asked;
  asked.patterns.emplace({pattern->name});
  asked.is_scan = pattern->form == design::Pattern::Form::Scan;
  if (pattern->via.text != "table") asked.index = pattern->via.text;
  return asked;
}

AskedFor AskedReader::read(const RecordedRequest& request) const {
  const RequestTexts texts = request.texts();
  if (request.facts.operation.empty()) return read_design_path(texts.target);
  AskedFor asked;
  if (!request.has_whole_body) {
    if (std::string table = wire::table_in_part(texts.body); !table.empty())
      asked.tables.push_back(std::move(table));
    return asked;
  }
  const wire::KnownOperation* const operation = wire::find_operation(request.facts.operation);
  const bool is_statement = parts_.describes_tables && has(kStatements, request.facts.operation);
  if (operation != nullptr && (is_statement || has(kReads, operation->name))) {
    NotingDatabase noting(parts_.database, parts_.traffic);
    (void)wire::run(*operation, noting, ServerIdentity(), texts.body);
    asked = noting.take();
  }
  // A malformed request never gets to the database, and writes need no more than this.
  if (asked.tables.empty()) asked.tables = wire::tables_in(texts.body);
  if (operation != nullptr && operation->name == "Scan") asked.is_scan = true;
  return asked;
}

DesignsOfTables AskedReader::designs_of(const AskedFor& asked) const {
  DesignsOfTables designs;
  const DesignList served = parts_.designs == nullptr ? nullptr : parts_.designs->designs();
  for (const std::string& table : asked.tables) {
    const auto governing = parts_.database.governing_design(table);
    if (governing && *governing != nullptr) designs.push_back(*governing);
    if (served == nullptr) continue;
    for (const design::Design& design : *served) {
      if (design.table.name == table) designs.emplace_back(served, &design);
    }
  }
  return designs;
}

}  // namespace tavola::server
