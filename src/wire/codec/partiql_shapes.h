// What the operations with statements read alike.
#pragma once

#include <string>
#include <vector>

#include <tavola/value.h>

#include "wire/codec/fields.h"

namespace tavola::wire {

// How AWS checks the values of statements (paritysuite/dynamodb-conformance, partiqlParameterNumbers).
inline constexpr ValueLayer kStatementValues = ValueLayer::Older;

std::string read_statement(const Fields& in);
// Bad values are told to `values`: of a batch, they are a problem of one statement.
std::vector<Value> read_parameters(const Fields& in, Problems& values);
std::string read_next_token(const Fields& in);
// Told before all other constraints, as of TransactWriteItems (paritysuite/dynamodb-conformance, validation-ordering).
std::string read_request_token(const Fields& in);

}  // namespace tavola::wire
