#include "wire/codec/operations.h"
#include "wire/codec/read_pages.h"

namespace tavola::wire {

Result<std::string> query(const Call& call) {
  Problems problems(ValueLayer::Newer);
  const Fields in(call.body, problems);
  QueryRequest request;
  begin_page_request(in, request);
  request.return_consumed_capacity = read_capacity_wish(in);
  request.query_filter = read_conditions(in, "QueryFilter");
  request.table_name = in.table_name();
  request.conditional_operator = read_conditional_operator(in);
  finish_page_request(in, request);
  request.key_conditions = read_conditions(in, "KeyConditions");
  request.scan_index_forward = in.boolean("ScanIndexForward").value_or(true);
  request.key_condition_expression = in.expression("KeyConditionExpression");
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(QueryResponse response, call.database.query(request));
  put_given_table(in, response.consumed_capacity);
  return write_response(response, request.select);
}

}  // namespace tavola::wire
