// What tables and indexes may be called: 3 to 255 letters, digits, '_', '-' and '.'.
#pragma once

#include <string_view>

#include "database/constraints.h"

namespace tavola {

bool is_name(std::string_view text);
// Adds what is wrong with a name, in AWS's order.
void check_name(Constraints& constraints, std::string_view name, std::string_view member);

// What operations on items say of a table name that is given and empty, before and without all else: PutItem in 31
// of 33 regions in October 2026 (paritysuite/dynamodb-conformance, captures).
Error empty_table_name();

}  // namespace tavola
