#include "wire/access.h"

#include <algorithm>
#include <iterator>

#include "value/limits.h"
#include "wire/shapes.h"

namespace tavola::wire {
namespace {

// The action a transaction's part needs on AWS.
std::string_view action_of(const TransactWrite& action) {
  struct Name {
    std::string_view operator()(const ConditionCheck&) const { return "ConditionCheckItem"; }
    std::string_view operator()(const PutItemRequest&) const { return "PutItem"; }
    std::string_view operator()(const DeleteItemRequest&) const { return "DeleteItem"; }
    std::string_view operator()(const UpdateItemRequest&) const { return "UpdateItem"; }
  };
  return std::visit(Name{}, action);
}

// The item of a transaction's part, or its key.
struct ItemOf {
  const PackedItem& operator()(const PutItemRequest& put) const { return put.item; }
  const PackedItem& operator()(const auto& other) const { return other.key; }
};

}  // namespace

Result<void> RestrictedDatabase::told(std::string_view operation, std::string_view table,
                                      const Result<void>& answer) const {
  if (answer || answer.error().code() != ErrorCode::AccessDenied) return answer;
  return fail(Error(
      ErrorCode::AccessDenied,
      "User: " + permissions_.user + " is not authorized to perform: dynamodb:" + std::string(operation) +
          " on resource: " + table_arn(place_, table) + " because " + answer.error().message()));
}

Result<void> RestrictedDatabase::change_table(std::string_view operation, std::string_view table) const {
  TAVOLA_CHECK(write(operation, table));
  if (permissions_.items == nullptr) return {};
  return told(operation, table, permissions_.items->may_change_table(table));
}

Result<void> RestrictedDatabase::read_item(std::string_view operation, std::string_view table,
                                           const PackedItem& key) const {
  TAVOLA_CHECK(read(operation, table));
  if (permissions_.items == nullptr) return {};
  return told(operation, table, permissions_.items->may_read(table, key));
}

Result<void> RestrictedDatabase::write_item(std::string_view operation, std::string_view table,
                                            const PackedItem& item) const {
  TAVOLA_CHECK(write(operation, table));
  if (permissions_.items == nullptr) return {};
  return told(operation, table, permissions_.items->may_write(table, item));
}

Result<void> RestrictedDatabase::read(std::string_view operation, std::string_view table) const {
  if (permissions_.may_use(table)) return {};
  return fail(Error(ErrorCode::AccessDenied,
                    "User: " + permissions_.user + " is not authorized to perform: dynamodb:" +
                        std::string(operation) + " on resource: " + table_arn(place_, table)));
}

Result<void> RestrictedDatabase::write(std::string_view operation, std::string_view table) const {
  if (permissions_.may_write) return read(operation, table);
  return fail(Error(ErrorCode::AccessDenied,
                    "User: " + permissions_.user +
                        " is not authorized to perform: dynamodb:" + std::string(operation) +
                        " on resource: " + table_arn(place_, table) + " with a read-only key"));
}

Result<CreateTableResponse> RestrictedDatabase::create_table(const CreateTableRequest& request) {
  TAVOLA_CHECK(change_table("CreateTable", request.table_name));
  return database_.create_table(request);
}
Result<DescribeTableResponse> RestrictedDatabase::describe_table(const DescribeTableRequest& request) {
  TAVOLA_CHECK(read("DescribeTable", request.table_name));
  return database_.describe_table(request);
}
// Only the tables that the key may use, as many as are asked for.
Result<ListTablesResponse> RestrictedDatabase::list_tables(const ListTablesRequest& request) {
  ListTablesRequest rest = request;
  if (!rest.limit) rest.limit = static_cast<int>(limits::kListTablesMax);
  ListTablesResponse listed;
  for (;;) {
    TAVOLA_TRY(ListTablesResponse page, database_.list_tables(rest));
    std::erase_if(page.table_names, [&](const std::string& name) { return !permissions_.may_use(name); });
    std::ranges::move(page.table_names, std::back_inserter(listed.table_names));
    listed.last_evaluated_table_name = page.last_evaluated_table_name;
    *rest.limit -= static_cast<int>(page.table_names.size());
    if (page.last_evaluated_table_name.empty() || rest.limit == 0) return listed;
    rest.exclusive_start_table_name = page.last_evaluated_table_name;
  }
}
Result<UpdateTableResponse> RestrictedDatabase::update_table(const UpdateTableRequest& request) {
  TAVOLA_CHECK(change_table("UpdateTable", request.table_name));
  return database_.update_table(request);
}
Result<DeleteTableResponse> RestrictedDatabase::delete_table(const DeleteTableRequest& request) {
  TAVOLA_CHECK(change_table("DeleteTable", request.table_name));
  return database_.delete_table(request);
}
Result<PutItemResponse> RestrictedDatabase::put_item(const PutItemRequest& request) {
  TAVOLA_CHECK(write_item("PutItem", request.table_name, request.item));
  return database_.put_item(request);
}
Result<GetItemResponse> RestrictedDatabase::get_item(const GetItemRequest& request) {
  TAVOLA_CHECK(read_item("GetItem", request.table_name, request.key));
  return database_.get_item(request);
}
Result<UpdateItemResponse> RestrictedDatabase::update_item(const UpdateItemRequest& request) {
  TAVOLA_CHECK(write_item("UpdateItem", request.table_name, request.key));
  return database_.update_item(request);
}
Result<DeleteItemResponse> RestrictedDatabase::delete_item(const DeleteItemRequest& request) {
  TAVOLA_CHECK(write_item("DeleteItem", request.table_name, request.key));
  return database_.delete_item(request);
}
Result<QueryResponse> RestrictedDatabase::query(const QueryRequest& request) {
  TAVOLA_CHECK(read("Query", request.table_name));
  if (permissions_.items != nullptr) {
    TAVOLA_CHECK(told("Query", request.table_name, permissions_.items->may_query(request)));
  }
  return database_.query(request);
}
Result<ScanResponse> RestrictedDatabase::scan(const ScanRequest& request) {
  TAVOLA_CHECK(read("Scan", request.table_name));
  if (permissions_.items != nullptr) {
    TAVOLA_CHECK(told("Scan", request.table_name, permissions_.items->may_scan(request)));
  }
  return database_.scan(request);
}
Result<BatchGetItemResponse> RestrictedDatabase::batch_get_item(const BatchGetItemRequest& request) {
  for (const KeysToGet& table : request.tables) {
    TAVOLA_CHECK(read("BatchGetItem", table.table_name));
    for (const PackedItem& key : table.keys) TAVOLA_CHECK(read_item("BatchGetItem", table.table_name, key));
  }
  return database_.batch_get_item(request);
}
Result<BatchWriteItemResponse> RestrictedDatabase::batch_write_item(const BatchWriteItemRequest& request) {
  for (const TableWrites& table : request.tables) {
    TAVOLA_CHECK(write("BatchWriteItem", table.table_name));
    for (const BatchWrite& one : table.writes) {
      TAVOLA_CHECK(write_item("BatchWriteItem", table.table_name, one.item));
    }
  }
  return database_.batch_write_item(request);
}
Result<TransactGetItemsResponse> RestrictedDatabase::transact_get_items(
    const TransactGetItemsRequest& request) {
  for (const GetItemRequest& get : request.gets) TAVOLA_CHECK(read_item("GetItem", get.table_name, get.key));
  return database_.transact_get_items(request);
}
Result<TransactWriteItemsResponse> RestrictedDatabase::transact_write_items(
    const TransactWriteItemsRequest& request) {
  for (const TransactWrite& action : request.actions) {
    const auto table = [](const auto& part) -> std::string_view { return part.table_name; };
    if (const auto* const check = std::get_if<ConditionCheck>(&action)) {
      TAVOLA_CHECK(write(action_of(action), check->table_name));
      TAVOLA_CHECK(read_item(action_of(action), check->table_name, check->key));
      continue;
    }
    TAVOLA_CHECK(write_item(action_of(action), std::visit(table, action), std::visit(ItemOf{}, action)));
  }
  return database_.transact_write_items(request);
}
Result<UpdateTimeToLiveResponse> RestrictedDatabase::update_time_to_live(
    const UpdateTimeToLiveRequest& request) {
  TAVOLA_CHECK(change_table("UpdateTimeToLive", request.table_name));
  return database_.update_time_to_live(request);
}
Result<DescribeTimeToLiveResponse> RestrictedDatabase::describe_time_to_live(
    const DescribeTimeToLiveRequest& request) {
  TAVOLA_CHECK(read("DescribeTimeToLive", request.table_name));
  return database_.describe_time_to_live(request);
}
Result<void> RestrictedDatabase::tag_resource(const TagResourceRequest& request) {
  TAVOLA_CHECK(change_table("TagResource", request.table_name));
  return database_.tag_resource(request);
}
Result<void> RestrictedDatabase::untag_resource(const UntagResourceRequest& request) {
  TAVOLA_CHECK(change_table("UntagResource", request.table_name));
  return database_.untag_resource(request);
}
Result<ListTagsOfResourceResponse> RestrictedDatabase::list_tags_of_resource(
    const ListTagsOfResourceRequest& request) {
  TAVOLA_CHECK(read("ListTagsOfResource", request.table_name));
  return database_.list_tags_of_resource(request);
}

// A stream shows every item of its table: whoever may not scan that may not read it. `stream` begins with the table's name.
Result<void> RestrictedDatabase::read_stream(std::string_view operation, std::string_view stream) const {
  const std::string_view table = stream.substr(0, stream.find('/'));
  TAVOLA_CHECK(read(operation, table));
  if (permissions_.items == nullptr) return {};
  return told(operation, table, permissions_.items->may_scan({.table_name = std::string(table)}));
}
// Only those of tables that the key may use, as many as are asked for.
Result<ListStreamsResponse> RestrictedDatabase::list_streams(const ListStreamsRequest& request) {
  if (!request.table_name.empty()) TAVOLA_CHECK(read("ListStreams", request.table_name));
  ListStreamsRequest rest = request;
  if (!rest.limit) rest.limit = limits::kListStreamsMax;
  ListStreamsResponse listed;
  for (;;) {
    TAVOLA_TRY(ListStreamsResponse page, database_.list_streams(rest));
    std::erase_if(page.streams,
                  [&](const StreamSummary& stream) { return !permissions_.may_use(stream.table_name); });
    std::ranges::move(page.streams, std::back_inserter(listed.streams));
    listed.last_evaluated_stream = page.last_evaluated_stream;
    *rest.limit -= static_cast<int>(page.streams.size());
    if (page.last_evaluated_stream.empty() || rest.limit == 0) return listed;
    rest.exclusive_start_stream = page.last_evaluated_stream;
  }
}
Result<DescribeStreamResponse> RestrictedDatabase::describe_stream(const DescribeStreamRequest& request) {
  TAVOLA_CHECK(read("DescribeStream", request.stream.substr(0, request.stream.find('/'))));
  return database_.describe_stream(request);
}
Result<GetShardIteratorResponse> RestrictedDatabase::get_shard_iterator(
    const GetShardIteratorRequest& request) {
  TAVOLA_CHECK(read_stream("GetShardIterator", request.stream));
  return database_.get_shard_iterator(request);
}
Result<GetRecordsResponse> RestrictedDatabase::get_records(const GetRecordsRequest& request) {
  TAVOLA_CHECK(read_stream("GetRecords", request.shard_iterator));
  return database_.get_records(request);
}

}  // namespace tavola::wire
