// From a request's expressions, or its older parameters, to compiled ones; and the rules of mixing them.
#pragma once

#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "expr/evaluate/compile.h"

namespace tavola::engine {

// Everything a request asks to be evaluated. Borrows the request's names and values.
struct WriteParameters {
  expr::Condition condition;
  expr::Update update;
};
Result<WriteParameters> compile_parameters(const PutItemRequest& request);
Result<WriteParameters> compile_parameters(const DeleteItemRequest& request);
Result<WriteParameters> compile_parameters(const UpdateItemRequest& request);

Result<expr::Projection> compile_parameters(const GetItemRequest& request);
// One for each table, in their order. Borrows the request's names, as all of these do.
Result<std::vector<expr::Projection>> compile_parameters(const BatchGetItemRequest& request);

struct ReadParameters {
  expr::KeyCondition key;  // of Query
  expr::Condition filter;
  expr::Projection projection;
  bool older = false;  // the filter came as QueryFilter or ScanFilter
};
Result<ReadParameters> compile_parameters(const QueryRequest& request);
Result<ReadParameters> compile_parameters(const ScanRequest& request);

}  // namespace tavola::engine
