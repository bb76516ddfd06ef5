#include "wire/client/write_requests.h"

#include "base/overloaded.h"
#include "database/enum_names.h"
#include "wire/client/legacy_parameters.h"
#include "wire/codec/attribute_values.h"

namespace tavola::wire {
namespace {

void write_text(json::Writer& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.name(name).text(text);
}

void write_item_member(json::Writer& json, std::string_view name, const PackedItem& item) {
  json.name(name);
  write_item(json, item.view());
}

void write_names(json::Writer& json, const AttributeNames& names) {
  if (names.empty()) return;
  json.name("ExpressionAttributeNames").begin_object();
  for (const auto& [placeholder, name] : names) json.name(placeholder).text(name);
  json.end_object();
}

void write_values(json::Writer& json, const PackedItem& values) {
  if (!values.empty()) write_item_member(json, "ExpressionAttributeValues", values);
}

template <class E>
void write_unless_none(json::Writer& json, std::string_view name, E value) {
  if (value != E::None) json.name(name).text(enum_name(value));
}

// Members shared by PutItem, UpdateItem, DeleteItem and the actions of transactions.
template <class Write>
void write_condition(json::Writer& json, const Write& write) {
  write_text(json, "ConditionExpression", write.condition_expression);
  write_names(json, write.names);
  write_values(json, write.values);
  write_unless_none(json, "ReturnValuesOnConditionCheckFailure", write.on_condition_failure);
}

// Further members of a single write.
template <class Write>
void write_wishes(json::Writer& json, const Write& write) {
  write_unless_none(json, "ReturnValues", write.return_values);
  write_unless_none(json, "ReturnConsumedCapacity", write.return_consumed_capacity);
  write_unless_none(json, "ReturnItemCollectionMetrics", write.return_item_collection_metrics);
  write_expected(json, write.expected);
  write_conditional_operator(json, write.conditional_operator);
}

void write_body(json::Writer& json, const PutItemRequest& put) {
  json.name("TableName").text(put.table_name);
  write_item_member(json, "Item", put.item);
  write_condition(json, put);
}

void write_body(json::Writer& json, const UpdateItemRequest& update) {
  json.name("TableName").text(update.table_name);
  write_item_member(json, "Key", update.key);
  write_text(json, "UpdateExpression", update.update_expression);
  write_condition(json, update);
}

// Members of DeleteItem and ConditionCheck.
template <class Write>
void write_body(json::Writer& json, const Write& write) {
  json.name("TableName").text(write.table_name);
  write_item_member(json, "Key", write.key);
  write_condition(json, write);
}

template <class Write>
std::string write_request(const Write& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_body(json, request);
  write_wishes(json, request);
  if constexpr (std::is_same_v<Write, UpdateItemRequest>)
    write_attribute_updates(json, request.attribute_updates);
  json.end_object();
  return out;
}

void write_get(json::Writer& json, const GetItemRequest& request) {
  json.name("TableName").text(request.table_name);
  write_item_member(json, "Key", request.key);
  if (request.consistent_read) json.name("ConsistentRead").boolean(true);
  write_text(json, "ProjectionExpression", request.projection_expression);
  write_names(json, request.names);
}

// Members shared by Query and Scan.
template <class Pages>
void write_pages(json::Writer& json, const Pages& request) {
  write_text(json, "FilterExpression", request.filter_expression);
  write_text(json, "ProjectionExpression", request.projection_expression);
  write_names(json, request.names);
  write_values(json, request.values);
  if (request.select) json.name("Select").text(enum_name(*request.select));
  if (request.limit) json.name("Limit").integer(*request.limit);
  if (request.consistent_read) json.name("ConsistentRead").boolean(true);
  if (request.exclusive_start_key) write_item_member(json, "ExclusiveStartKey", *request.exclusive_start_key);
  write_unless_none(json, "ReturnConsumedCapacity", request.return_consumed_capacity);
  write_conditional_operator(json, request.conditional_operator);
  write_attributes_to_get(json, request.attributes_to_get);
}

}  // namespace

std::string to_json(const PutItemRequest& request) { return write_request(request); }
std::string to_json(const UpdateItemRequest& request) { return write_request(request); }
std::string to_json(const DeleteItemRequest& request) { return write_request(request); }

std::string to_json(const GetItemRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_get(json, request);
  write_attributes_to_get(json, request.attributes_to_get);
  write_unless_none(json, "ReturnConsumedCapacity", request.return_consumed_capacity);
  json.end_object();
  return out;
}

std::string to_json(const QueryRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(request.table_name);
  write_text(json, "IndexName", request.index_name);
  write_text(json, "KeyConditionExpression", request.key_condition_expression);
  write_pages(json, request);
  if (!request.scan_index_forward) json.name("ScanIndexForward").boolean(false);
  write_conditions(json, "KeyConditions", request.key_conditions);
  write_conditions(json, "QueryFilter", request.query_filter);
  json.end_object();
  return out;
}

std::string to_json(const ScanRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(request.table_name);
  write_text(json, "IndexName", request.index_name);
  write_pages(json, request);
  if (request.segment) json.name("Segment").integer(*request.segment);
  if (request.total_segments) json.name("TotalSegments").integer(*request.total_segments);
  write_conditions(json, "ScanFilter", request.scan_filter);
  json.end_object();
  return out;
}

std::string to_json(const TransactGetItemsRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TransactItems").begin_list();
  for (const GetItemRequest& get : request.gets) {
    json.begin_object();
    json.name("Get").begin_object();
    GetItemRequest in_transaction = get;
    in_transaction.consistent_read = false;  // it always is
    write_get(json, in_transaction);
    json.end_object();
    json.end_object();
  }
  json.end_list();
  write_unless_none(json, "ReturnConsumedCapacity", request.return_consumed_capacity);
  json.end_object();
  return out;
}

void write_action(json::Writer& json, const TransactWrite& action) {
  const Overloaded name{
      [](const ConditionCheck&) { return "ConditionCheck"; }, [](const PutItemRequest&) { return "Put"; },
      [](const DeleteItemRequest&) { return "Delete"; }, [](const UpdateItemRequest&) { return "Update"; }};
  json.begin_object();
  json.name(std::visit(name, action)).begin_object();
  std::visit([&json](const auto& write) { write_body(json, write); }, action);
  json.end_object();
  json.end_object();
}

std::string to_json(const TransactWriteItemsRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TransactItems").begin_list();
  for (const TransactWrite& action : request.actions) write_action(json, action);
  json.end_list();
  write_text(json, "ClientRequestToken", request.client_request_token);
  write_unless_none(json, "ReturnConsumedCapacity", request.return_consumed_capacity);
  write_unless_none(json, "ReturnItemCollectionMetrics", request.return_item_collection_metrics);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
