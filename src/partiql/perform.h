// Code shared by the three operations: the table of a statement, its items as columns, and one write.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tavola/database.h>
#include <tavola/error.h>
#include <tavola/requests.h>

#include "partiql/plan.h"
#include "partiql/prepare.h"

namespace tavola::partiql {

// Fails with "Requested resource not found" if it is missing.
Result<TableDescription> describe(Database& database, const Prepared& prepared);

// Returns the columns of an item; without columns, the item.
PackedItem as_columns(PackedItem item, const std::vector<Column>& columns);

// PutItem, UpdateItem or DeleteItem.
Result<WriteItemResponse> perform(Database& database, const TransactWrite& write);

// The message of a request whose own condition failed. A design refuses with the same code and another message.
inline constexpr std::string_view kConditionFailed = "The conditional request failed";

// Translates a request's failure to the statement it was made from: an INSERT's condition is that the item is missing;
// and AWS names a forbidden action by the statement (PartiQLSelect …).
Error error_of_statement(const Error& error, const Statement& statement);

// Accepts 1 to 8192 characters of any kind. `member` is the request's name for it.
Result<void> check_statement_size(std::string_view statement, std::string_view member);

inline constexpr std::size_t kStatementCharsMax = 8192;
inline constexpr std::size_t kBatchStatementsMax = 25;

}  // namespace tavola::partiql
