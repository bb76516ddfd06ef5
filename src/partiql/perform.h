// What the three operations share: the table of a statement, its items as columns, and one write.
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

// Fails with "Requested resource not found" when there is none.
Result<TableDescription> describe(Database& database, const Prepared& prepared);

// The columns of an item; without any, the item.
PackedItem as_columns(PackedItem item, const std::vector<Column>& columns);

// PutItem, UpdateItem or DeleteItem.
Result<WriteItemResponse> perform(Database& database, const TransactWrite& write);

// What a request whose own condition does not hold says. A design refuses with the same code, in words of its own.
inline constexpr std::string_view kConditionFailed = "The conditional request failed";

// What a request's failure means for the statement it was made of: an INSERT's condition is that there is no such item; and AWS
// calls what somebody may not do by the statement (PartiQLSelect …).
Error told_of_statement(const Error& error, const Statement& statement);

// 1 to 8192 characters, whatever they mean. `member` is how the request calls it.
Result<void> check_statement_size(std::string_view statement, std::string_view member);

inline constexpr std::size_t kStatementCharsMax = 8192;
inline constexpr std::size_t kBatchStatementsMax = 25;

}  // namespace tavola::partiql
