// Shared by the operations with statements.
#pragma once

#include <string>
#include <vector>

#include <tavola/value.h>

#include "wire/codec/fields.h"

namespace tavola::wire {

// The layer in which AWS checks the values of statements (paritysuite/dynamodb-conformance, partiqlParameterNumbers).
inline constexpr ValueLayer kStatementValues = ValueLayer::Older;

std::string read_statement(const Fields& in);
// Bad values go to `values`: in a batch they are a problem of one statement.
std::vector<Value> read_parameters(const Fields& in, Problems& values);
std::string read_next_token(const Fields& in);
// Reported before all other constraints, like that of TransactWriteItems (paritysuite/dynamodb-conformance,
// validation-ordering).
std::string read_request_token(const Fields& in);

}  // namespace tavola::wire
