#include "wire/operations.h"
#include "wire/read_pages.h"

namespace tavola::wire {

Result<std::string> query(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  QueryRequest request;
  read_page_request(in, request);
  request.key_condition_expression = in.expression("KeyConditionExpression");
  request.scan_index_forward = in.boolean("ScanIndexForward").value_or(true);
  request.key_conditions = read_conditions(in, "KeyConditions");
  request.query_filter = read_conditions(in, "QueryFilter");
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const QueryResponse response, call.database.query(request));
  return write_response(response, request.select);
}

}  // namespace tavola::wire
