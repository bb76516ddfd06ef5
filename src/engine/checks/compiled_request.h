// Compiles a request's expressions, or its legacy parameters, and checks which may be combined.
#pragma once

#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "expr/evaluate/compile.h"

namespace tavola::engine {

// Everything that a request evaluates. Borrows the request's names and values.
struct WriteParameters {
  expr::Condition condition;
  expr::Update update;
};
Result<WriteParameters> compile_parameters(const PutItemRequest& request);
Result<WriteParameters> compile_parameters(const DeleteItemRequest& request);
Result<WriteParameters> compile_parameters(const UpdateItemRequest& request);

Result<expr::Projection> compile_parameters(const GetItemRequest& request);
// Returns one per table, in their order. Borrows the request's names, like all of these.
Result<std::vector<expr::Projection>> compile_parameters(const BatchGetItemRequest& request);

struct ReadParameters {
  expr::KeyCondition key;  // Query only
  expr::Condition filter;
  expr::Projection projection;
  bool older = false;  // the filter came from QueryFilter or ScanFilter
};
Result<ReadParameters> compile_parameters(const QueryRequest& request);
Result<ReadParameters> compile_parameters(const ScanRequest& request);

}  // namespace tavola::engine
