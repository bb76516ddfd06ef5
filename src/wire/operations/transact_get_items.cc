#include <ranges>

#include "value/limits.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> transact_get_items(const Call& call) {
  Problems problems;
  problems.set_transaction();
  const Fields in(call.body, problems);
  TransactGetItemsRequest request;
  GivenTables given;
  const auto items =
      in.structures("TransactItems", "TransactGetItem", Presence::Required).value_or(std::vector<Fields>());
  for (const Fields& fields : items | std::views::take(limits::kTransactionActionsMax + 1)) {
    const auto get = fields.structure("Get", "Get", Presence::Required);
    if (!get) continue;
    GetItemRequest& one = request.gets.emplace_back();
    one.table_name = get->table_name();
    given.add(get->text("TableName").value_or(std::string()));
    one.key = read_item_or_empty(*get, "Key", Presence::Required);
    one.projection_expression = get->expression("ProjectionExpression");
    one.names = read_names(*get);
  }
  request.return_consumed_capacity = read_capacity_wish(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(TransactGetItemsResponse response, call.database.transact_get_items(request));
  given.put_into(response.consumed_capacity);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_capacity_member(json, response.consumed_capacity, request.return_consumed_capacity);
  write_items_member(json, response.items);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
