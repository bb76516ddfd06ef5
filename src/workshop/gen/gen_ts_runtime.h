// The common part of every generated TypeScript module: the connection, exact numbers, the checks of values, and
// operations as transactions that are retried after concurrent changes (the algorithm of design/requests/step_plan.h,
// except that a step always reads its item first). These are the modules of runtime/, which are part of the program.
#pragma once

#include <string>
#include <string_view>

namespace tavola::workshop {

std::string ts_connection();  // for callers
std::string ts_runtime();     // for the rest of the module

// Returns whether these declare the name, or use it as a global one.
bool is_runtime_name(std::string_view name);

}  // namespace tavola::workshop
