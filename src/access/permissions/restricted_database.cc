#include "access/permissions/restricted_database.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "access/permissions/policy_details.h"
#include "access/permissions/write_attributes.h"
#include "value/limits.h"
#include "wire/codec/shapes.h"

namespace tavola::access {
namespace {

// The action that a write needs on AWS, also inside a transaction.
std::string_view action_for(const ConditionCheck&) { return "ConditionCheckItem"; }
std::string_view action_for(const PutItemRequest&) { return "PutItem"; }
std::string_view action_for(const DeleteItemRequest&) { return "DeleteItem"; }
std::string_view action_for(const UpdateItemRequest&) { return "UpdateItem"; }

// The item of a write, or its key.
const PackedItem& item_of(const PutItemRequest& put) { return put.item; }
const PackedItem& item_of(const auto& other) { return other.key; }

bool shows_failed_item(const auto& write) {
  return write.on_condition_failure == ReturnValuesOnConditionCheckFailure::AllOld;
}

// Returns the attributes that a write reads.
std::vector<std::string> looks_at(const auto& write) { return condition_attributes(write); }
std::vector<std::string> looks_at(const UpdateItemRequest& update) {
  std::vector<std::string> names = condition_attributes(update);
  for (const AttributeChange& change : attribute_changes(update)) {
    std::ranges::copy(change.reads, std::back_inserter(names));
  }
  return names;
}

bool shows_item(const auto& write) {
  return write.return_values != ReturnValues::None || shows_failed_item(write);
}

// Returns the index of a read; empty if it reads the table.
std::string index_of(const auto& request) {
  return request.index_name.empty() ? std::string() : request.table_name + "/index/" + request.index_name;
}

std::string_view table_in(std::string_view resource) { return resource.substr(0, resource.find('/')); }

}  // namespace

std::unexpected<Error> RestrictedDatabase::denied(const Use& use, std::string_view why) const {
  const std::string action(action_of(use.operation));
  return fail(Error(
      ErrorCode::AccessDenied,
      "User: " + permissions_.user + " is not authorized to perform: dynamodb:" + action + " on resource: " +
          wire::table_arn(server_, use.resource.empty() ? use.table : use.resource) + std::string(why)));
}

std::string_view RestrictedDatabase::action_of(std::string_view operation) const {
  if (!guard_ || !guard_->visit().is_statement) return operation;
  if (operation == "PutItem") return "PartiQLInsert";
  if (operation == "UpdateItem") return "PartiQLUpdate";
  if (operation == "DeleteItem") return "PartiQLDelete";
  return "PartiQLSelect";
}

bool RestrictedDatabase::key_permits(const Use& use) const {
  return (use.act == Act::Read || permissions_.may_write) && permissions_.may_use(use.table);
}

Result<void> RestrictedDatabase::permit(const Use& use) const {
  const std::string_view action = action_of(use.operation);
  std::optional<policy::Verdict> verdict;
  if (guard_) {
    const PolicyGuard::Question question{.action = action,
                                         .owner = use.owner.empty() ? use.table : use.owner,
                                         .resource = use.resource.empty() ? use.table : use.resource,
                                         .details = use.details ? &use.details : nullptr};
    TAVOLA_TRY(verdict, guard_->ask(question));
  }
  if (verdict == policy::Verdict::Allowed) return {};
  if (verdict == policy::Verdict::Denied)
    return denied(use, " with an explicit deny in a resource-based policy");
  if (key_permits(use)) return {};
  if (verdict) {
    return denied(use,
                  " because no resource-based policy allows the dynamodb:" + std::string(action) + " action");
  }
  const bool is_read_only = use.act == Act::Write && !permissions_.may_write;
  return denied(use, is_read_only ? " with a read-only key" : "");
}

template <class... Parts>
PolicyGuard::Details RestrictedDatabase::details_of(const Parts&... parts) const {
  if (!guard_) return {};
  return [&](const policy::Policy& policy, policy::Context& context) {
    PolicyDetails(database_, policy, context).add(parts...);
  };
}

template <class Request>
PolicyGuard::Details RestrictedDatabase::details_in(std::string_view transaction, const Request& request,
                                                    Outcome outcome) const {
  if (!guard_) return {};
  return [this, transaction, &request, outcome](const policy::Policy& policy, policy::Context& context) {
    PolicyDetails details(database_, policy, context, outcome);
    details.add(request);
    if (!transaction.empty()) details.add_enclosing(transaction);
  };
}

Error RestrictedDatabase::in_words_of_aws(std::string_view operation, std::string_view table,
                                          const Error& error) const {
  if (error.code() != ErrorCode::AccessDenied) return error;
  return denied({.operation = operation, .act = Act::Read, .table = table}, " because " + error.message())
      .error();
}

template <class Request>
bool RestrictedDatabase::is_import(const Request& request) const {
  if (!request.as_is || permissions_.items == nullptr) return request.as_is;
  if constexpr (std::is_same_v<Request, BatchWriteItemRequest>) {
    return std::ranges::all_of(request.tables, [this](const TableWrites& table) {
      return permissions_.items->may_import(table.table_name);
    });
  } else if constexpr (std::is_same_v<Request, TransactWriteItemsRequest>) {
    return false;
  } else {
    return permissions_.items->may_import(request.table_name);
  }
}

template <class Request, class Response>
Result<Response> RestrictedDatabase::send(const Named& named, const Request& request,
                                          Result<Response> (Database::*operation)(const Request&)) const {
  if (permissions_.caller == nullptr) return for_writer((database_.*operation)(request));
  Request theirs = request;
  theirs.caller = permissions_.caller;
  theirs.as_is = is_import(request);
  return for_writer(with_words(named.operation, named.table, (database_.*operation)(theirs)));
}

Result<void> RestrictedDatabase::read(std::string_view operation, std::string_view table) const {
  return permit({.operation = operation, .act = Act::Read, .table = table});
}

Result<void> RestrictedDatabase::write(std::string_view operation, std::string_view table) const {
  return permit({.operation = operation, .act = Act::Write, .table = table});
}

Result<void> RestrictedDatabase::change_table(std::string_view operation, std::string_view table) const {
  TAVOLA_CHECK(write(operation, table));
  if (permissions_.items == nullptr) return {};
  return with_words(operation, table, permissions_.items->may_change_table(table));
}

Result<void> RestrictedDatabase::may_read(std::string_view operation, std::string_view table,
                                          const PackedItem& key) const {
  if (permissions_.items == nullptr) return {};
  return with_words(operation, table, permissions_.items->may_read(table, key));
}

Result<void> RestrictedDatabase::may_write(std::string_view operation, std::string_view table,
                                           const PackedItem& item) const {
  if (permissions_.items == nullptr) return {};
  TAVOLA_CHECK(with_words(operation, table, permissions_.items->may_write(table, item)));
  writes_blindly_ = writes_blindly_ || !permissions_.items->may_read(table, item);
  return {};
}

template <class Write>
Result<void> RestrictedDatabase::permit_write(std::string_view transaction, const Write& write) const {
  const std::string_view operation = action_for(write);
  const auto permit_outcome = [&](Outcome outcome) {
    return permit({.operation = operation,
                   .act = Act::Write,
                   .table = write.table_name,
                   .details = details_in(transaction, write, outcome)});
  };
  TAVOLA_CHECK(permit_outcome(Outcome::Success));
  if (guard_ && shows_failed_item(write)) TAVOLA_CHECK(permit_outcome(Outcome::ConditionFailed));
  if constexpr (std::is_same_v<Write, ConditionCheck>) {
    return may_read(operation, write.table_name, write.key);
  } else {
    TAVOLA_CHECK(may_write(operation, write.table_name, item_of(write)));
    return may_learn(operation, write);
  }
}

template <class Write>
Result<void> RestrictedDatabase::may_learn(std::string_view operation, const Write& write) const {
  if (permissions_.items == nullptr) return {};
  const ItemRules& rules = *permissions_.items;
  const Result<void> answer = shows_item(write)
                                  ? rules.may_read(write.table_name, item_of(write))
                                  : rules.may_test(write.table_name, item_of(write), looks_at(write));
  if (answer) return {};
  if (answer.error().code() != ErrorCode::AccessDenied) return fail(answer.error());
  const Error refused(
      answer.error().code(),
      answer.error().message() +
          "; a write reads the item if it returns a part of it, or if its condition or new value uses "
          "more than its key");
  return fail(in_words_of_aws(operation, write.table_name, refused));
}

Result<CreateTableResponse> RestrictedDatabase::create_table(const CreateTableRequest& request) {
  TAVOLA_CHECK(change_table("CreateTable", request.table_name));
  return database_.create_table(request);
}
Result<DescribeTableResponse> RestrictedDatabase::describe_table(const DescribeTableRequest& request) {
  const Use use{.operation = "DescribeTable", .act = Act::Read, .table = request.table_name};
  // A statement looks up its table; its use of the table is checked later.
  const bool is_looked_up = guard_ && guard_->visit().is_statement;
  if (!is_looked_up) TAVOLA_CHECK(permit(use));
  if (is_looked_up && !key_permits(use)) {
    const auto policy = database_.get_resource_policy({.resource = request.table_name});
    if (!policy) return denied(use, "");
  }
  return database_.describe_table(request);
}
// Lists only the tables that the key may use, up to the requested number.
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
  TAVOLA_CHECK(permit_write("", request));
  return send({action_for(request), request.table_name}, request, &Database::put_item);
}
Result<void> RestrictedDatabase::permit_get(const GetItemRequest& request) const {
  TAVOLA_CHECK(permit({.operation = "GetItem",
                       .act = Act::Read,
                       .table = request.table_name,
                       .details = details_of(request)}));
  return may_read("GetItem", request.table_name, request.key);
}
Result<GetItemResponse> RestrictedDatabase::get_item(const GetItemRequest& request) {
  TAVOLA_CHECK(permit_get(request));
  return database_.get_item(request);
}
Result<ItemHistoryResponse> RestrictedDatabase::item_history(const ItemHistoryRequest& request) {
  TAVOLA_CHECK(permit_get({.table_name = request.table_name, .key = request.key}));
  return database_.item_history(request);
}
Result<ItemAsOfResponse> RestrictedDatabase::item_as_of(const ItemAsOfRequest& request) {
  TAVOLA_CHECK(permit_get({.table_name = request.table_name, .key = request.key}));
  return database_.item_as_of(request);
}
Result<UpdateItemResponse> RestrictedDatabase::update_item(const UpdateItemRequest& request) {
  TAVOLA_CHECK(permit_write("", request));
  return send({action_for(request), request.table_name}, request, &Database::update_item);
}
Result<DeleteItemResponse> RestrictedDatabase::delete_item(const DeleteItemRequest& request) {
  TAVOLA_CHECK(permit_write("", request));
  return send({action_for(request), request.table_name}, request, &Database::delete_item);
}
Result<QueryResponse> RestrictedDatabase::query(const QueryRequest& request) {
  const std::string index = index_of(request);
  TAVOLA_CHECK(permit({.operation = "Query",
                       .act = Act::Read,
                       .table = request.table_name,
                       .resource = index,
                       .details = details_of(request)}));
  if (permissions_.items == nullptr) return database_.query(request);
  QueryRequest limited = request;
  TAVOLA_TRY(limited.may_see,
             with_words("Query", request.table_name, permissions_.items->may_query(request)));
  return with_words("Query", request.table_name, database_.query(limited));
}
Result<ScanResponse> RestrictedDatabase::scan(const ScanRequest& request) {
  const std::string index = index_of(request);
  TAVOLA_CHECK(permit({.operation = "Scan",
                       .act = Act::Read,
                       .table = request.table_name,
                       .resource = index,
                       .details = details_of(request)}));
  if (permissions_.items == nullptr) return database_.scan(request);
  ScanRequest limited = request;
  limited.as_is = false;
  TAVOLA_TRY(limited.may_see, with_words("Scan", request.table_name, permissions_.items->may_scan(request)));
  return with_words("Scan", request.table_name, database_.scan(limited));
}
Result<BatchGetItemResponse> RestrictedDatabase::batch_get_item(const BatchGetItemRequest& request) {
  for (const KeysToGet& table : request.tables) {
    TAVOLA_CHECK(permit({.operation = "BatchGetItem",
                         .act = Act::Read,
                         .table = table.table_name,
                         .details = details_of(table, request.return_consumed_capacity)}));
    for (const PackedItem& key : table.keys) TAVOLA_CHECK(may_read("BatchGetItem", table.table_name, key));
  }
  return database_.batch_get_item(request);
}
Result<BatchWriteItemResponse> RestrictedDatabase::batch_write_item(const BatchWriteItemRequest& request) {
  for (const TableWrites& table : request.tables) {
    TAVOLA_CHECK(permit({.operation = "BatchWriteItem",
                         .act = Act::Write,
                         .table = table.table_name,
                         .details = details_of(table, request.return_consumed_capacity)}));
    for (const BatchWrite& one : table.writes) {
      TAVOLA_CHECK(may_write("BatchWriteItem", table.table_name, one.item));
    }
  }
  // A refusal names one table; a request on several items rarely has more.
  const std::string_view table =
      request.tables.empty() ? std::string_view() : request.tables.front().table_name;
  return send({"BatchWriteItem", table}, request, &Database::batch_write_item);
}
Result<TransactGetItemsResponse> RestrictedDatabase::transact_get_items(
    const TransactGetItemsRequest& request) {
  for (const GetItemRequest& get : request.gets) {
    TAVOLA_CHECK(permit({.operation = "GetItem",
                         .act = Act::Read,
                         .table = get.table_name,
                         .details = details_in("TransactGetItems", get)}));
    TAVOLA_CHECK(may_read("GetItem", get.table_name, get.key));
  }
  return database_.transact_get_items(request);
}
Result<TransactWriteItemsResponse> RestrictedDatabase::transact_write_items(
    const TransactWriteItemsRequest& request) {
  for (const TransactWrite& action : request.actions) {
    TAVOLA_CHECK(
        std::visit([&](const auto& write) { return permit_write("TransactWriteItems", write); }, action));
  }
  Named first;
  if (!request.actions.empty()) {
    first = std::visit([](const auto& action) { return Named{action_for(action), action.table_name}; },
                       request.actions.front());
  }
  return send(first, request, &Database::transact_write_items);
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

// A stream shows every item of its table, so reading it needs the right to scan. `stream` begins with the stream's
// name.
Result<void> RestrictedDatabase::read_stream(std::string_view operation, std::string_view stream) const {
  const std::string_view name = stream.substr(0, stream.find('|'));
  const std::string_view table = table_in(name);
  TAVOLA_CHECK(
      permit({.operation = operation, .act = Act::Read, .table = table, .resource = name, .owner = name}));
  if (permissions_.items == nullptr) return {};
  return with_words(operation, table, permissions_.items->may_read_stream(std::string(name)));
}
// Lists only streams of tables that the key may use, up to the requested number.
Result<ListStreamsResponse> RestrictedDatabase::list_streams(const ListStreamsRequest& request) {
  // Policies have no such action: only the key decides what is listed.
  const Use use{.operation = "ListStreams", .act = Act::Read, .table = request.table_name};
  if (!request.table_name.empty() && !key_permits(use)) return denied(use, "");
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
  TAVOLA_CHECK(permit({.operation = "DescribeStream",
                       .act = Act::Read,
                       .table = table_in(request.stream),
                       .resource = request.stream,
                       .owner = request.stream}));
  return database_.describe_stream(request);
}
Result<GetShardIteratorResponse> RestrictedDatabase::get_shard_iterator(
    const GetShardIteratorRequest& request) {
  TAVOLA_CHECK(read_stream("GetShardIterator", request.stream));
  return database_.get_shard_iterator(request);
}
Result<GetRecordsResponse> RestrictedDatabase::get_records(const GetRecordsRequest& request) {
  TAVOLA_CHECK(read_stream("GetRecords", request.shard_iterator));
  TAVOLA_TRY(GetRecordsResponse response, database_.get_records(request));
  if (permissions_.items == nullptr) return response;
  const std::string_view table = table_in(request.shard_iterator);
  std::vector<StreamRecord> seen;
  for (StreamRecord& record : response.records) {
    TAVOLA_TRY(const bool may_see,
               with_words("GetRecords", table, permissions_.items->may_see(table, record.keys)));
    if (may_see) seen.push_back(std::move(record));
  }
  response.records = std::move(seen);
  return response;
}

Result<void> RestrictedDatabase::change_policy(std::string_view operation, std::string_view resource) const {
  const std::string_view table = table_in(resource);
  TAVOLA_CHECK(permit(
      {.operation = operation, .act = Act::Write, .table = table, .resource = resource, .owner = resource}));
  if (permissions_.items == nullptr) return {};
  return with_words(operation, table, permissions_.items->may_change_table(table));
}

// The author of a policy must be able to replace it, unless they confirm that they give this up.
Result<void> RestrictedDatabase::check_new_policy(const PutResourcePolicyRequest& request) const {
  if (!guard_) return {};
  const bool is_stream = request.resource.contains('/');
  TAVOLA_TRY(
      const policy::Policy policy,
      policy::parse_policy(request.policy, is_stream ? policy::Target::Stream : policy::Target::Table));
  TAVOLA_CHECK(guard_->check_principals(policy));
  const Use again{.operation = "PutResourcePolicy", .act = Act::Write, .table = table_in(request.resource)};
  const policy::Verdict verdict = guard_->judge(
      policy, {.action = again.operation, .owner = request.resource, .resource = request.resource});
  const bool may_again =
      verdict == policy::Verdict::Allowed || (verdict == policy::Verdict::Undecided && key_permits(again));
  if (may_again || request.may_lock_out) return {};
  return fail(
      Error(ErrorCode::AccessDenied,
            "The new resource policy will not allow you to update the resource policy in the future."));
}

Result<PutResourcePolicyResponse> RestrictedDatabase::put_resource_policy(
    const PutResourcePolicyRequest& request) {
  TAVOLA_CHECK(change_policy("PutResourcePolicy", request.resource));
  TAVOLA_CHECK(check_new_policy(request));
  return database_.put_resource_policy(request);
}
Result<GetResourcePolicyResponse> RestrictedDatabase::get_resource_policy(
    const GetResourcePolicyRequest& request) {
  TAVOLA_CHECK(permit({.operation = "GetResourcePolicy",
                       .act = Act::Read,
                       .table = table_in(request.resource),
                       .resource = request.resource,
                       .owner = request.resource}));
  return database_.get_resource_policy(request);
}
Result<DeleteResourcePolicyResponse> RestrictedDatabase::delete_resource_policy(
    const DeleteResourcePolicyRequest& request) {
  TAVOLA_CHECK(change_policy("DeleteResourcePolicy", request.resource));
  return database_.delete_resource_policy(request);
}

}  // namespace tavola::access
