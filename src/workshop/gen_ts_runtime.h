// What stands in every generated TypeScript module, whatever its design: the connection, exact numbers, the checks of values, and
// operations as transactions that are tried again when something changed (the algorithm of design/step_plan.h, but that what
// a step changes is always read first).
#pragma once

#include <string_view>

namespace tavola::workshop {

std::string_view ts_connection();  // what callers use
std::string_view ts_runtime();     // what the rest of the module uses

}  // namespace tavola::workshop
