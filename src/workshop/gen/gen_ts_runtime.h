// The common part of every generated TypeScript module: the connection, exact numbers, the checks of values, requests to
// /v1, and operations as transactions that are retried after concurrent changes (the algorithm of
// design/requests/step_plan.h, except that a step always reads its item first). These are the modules of runtime/, which
// are part of the program.
#pragma once

#include <string>
#include <string_view>

namespace tavola::workshop {

// The parts of a module that a design decides.
struct TsParts {
  std::string top;     // the first comment
  std::string names;   // the constants that the runtime imports from design.ts
  std::string body;    // all that callers use, and the kinds
  std::string copies;  // the constants with the copies and the consequences
};
// Returns the whole module. It leaves out the declarations and imports that nothing uses, because compilers under
// `noUnusedLocals` refuse them.
std::string ts_module(const TsParts& parts);

// Returns whether the common part declares the name, or uses it as a global one.
bool is_runtime_name(std::string_view name);

}  // namespace tavola::workshop
