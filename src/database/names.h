// Names of tables and indexes: 3 to 255 letters, digits, '_', '-' and '.'.
#pragma once

#include <string_view>

#include "database/constraints.h"

namespace tavola {

bool is_name(std::string_view text);
// Adds the problems of a name, in AWS's order.
void check_name(Constraints& constraints, std::string_view name, std::string_view member);

// The error of operations on items for an empty table name, which AWS reports before and without any other: PutItem in
// 31 of 33 regions in October 2026 (paritysuite/dynamodb-conformance, captures).
Error empty_table_name();

}  // namespace tavola
