#include <ranges>

#include "value/limits.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

// Members that all four actions have.
template <class Action>
void read_condition(const Fields& in, GivenTables& tables, Action& action) {
  action.table_name = in.table_name();
  tables.add(in.text("TableName").value_or(std::string()));
  action.condition_expression = in.expression("ConditionExpression");
  action.names = read_names(in);
  action.values = read_expression_values(in);
  action.on_condition_failure = read_failure_wish(in);
}

std::optional<TransactWrite> read_action(const Fields& in, GivenTables& tables) {
  std::vector<TransactWrite> given;
  if (const auto fields = in.structure("ConditionCheck", "ConditionCheck")) {
    ConditionCheck check;
    read_condition(*fields, tables, check);
    check.key = read_item_or_empty(*fields, "Key", Presence::Required);
    if (!fields->has("ConditionExpression"))
      in.problems().constraints().add_missing(fields->path_of("ConditionExpression"));
    given.emplace_back(std::move(check));
  }
  if (const auto fields = in.structure("Put", "Put")) {
    PutItemRequest put;
    read_condition(*fields, tables, put);
    put.item = read_item_or_empty(*fields, "Item", Presence::Required);
    given.emplace_back(std::move(put));
  }
  if (const auto fields = in.structure("Delete", "Delete")) {
    DeleteItemRequest remove;
    read_condition(*fields, tables, remove);
    remove.key = read_item_or_empty(*fields, "Key", Presence::Required);
    given.emplace_back(std::move(remove));
  }
  if (const auto fields = in.structure("Update", "Update")) {
    UpdateItemRequest update;
    read_condition(*fields, tables, update);
    update.key = read_item_or_empty(*fields, "Key", Presence::Required);
    update.update_expression = fields->expression("UpdateExpression");
    if (!fields->has("UpdateExpression"))
      in.problems().constraints().add_missing(fields->path_of("UpdateExpression"));
    given.emplace_back(std::move(update));
  }
  if (given.size() == 1) return std::move(given.front());
  in.problems().bad_value(Error::validation(
      given.empty() ? "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
                    : "TransactItems can only contain one of Check, Put, Update or Delete"));
  return std::nullopt;
}

// Reported before all other constraints (paritysuite/dynamodb-conformance, validation-ordering).
std::string read_token(const Fields& in) {
  std::optional<std::string> token = in.text("ClientRequestToken");
  if (!token) return {};
  if (token->empty()) {
    in.problems().constraints().add_broken("", "clientRequestToken",
                                           "have length greater than or equal to 1");
  }
  if (token->size() > limits::kRequestTokenBytesMax) {
    in.problems().constraints().add_broken(*token, "clientRequestToken",
                                           "have length less than or equal to 36");
  }
  return *std::move(token);
}

}  // namespace

Result<std::string> transact_write_items(const Call& call) {
  Problems problems;
  problems.set_transaction();
  const Fields in(call.body, problems);
  TransactWriteItemsRequest request;
  request.client_request_token = read_token(in);
  request.return_consumed_capacity = read_capacity_wish(in);
  request.return_item_collection_metrics = read_metrics_wish(in);
  GivenTables tables;
  const auto actions =
      in.structures("TransactItems", "TransactWriteItem", Presence::Required).value_or(std::vector<Fields>());
  // One more than allowed is enough for the database to refuse them.
  for (const Fields& fields : actions | std::views::take(limits::kTransactionActionsMax + 1)) {
    if (auto action = read_action(fields, tables)) request.actions.push_back(*std::move(action));
  }
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(TransactWriteItemsResponse response, call.database.transact_write_items(request));
  tables.put_into(response.item_collection_metrics);
  tables.put_into(response.consumed_capacity);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_metrics_member(json, response.item_collection_metrics);
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
