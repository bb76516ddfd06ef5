// What stands in every generated TypeScript module, whatever its design: the connection, exact numbers, the checks of values, and
// operations as transactions that are tried again when something changed (the algorithm of design/requests/step_plan.h, but that what
// a step changes is always read first). These are the modules of runtime/, which are part of the program.
#pragma once

#include <string>
#include <string_view>

namespace tavola::workshop {

std::string ts_connection();  // what callers use
std::string ts_runtime();     // what the rest of the module uses

// Whether these declare the name, or use it as a global one.
bool is_runtime_name(std::string_view name);

}  // namespace tavola::workshop
