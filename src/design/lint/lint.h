// Lints: surprising behaviour of a design that runs.
#pragma once

#include <vector>

#include "design/language/diagnostic.h"
#include "design/model/model.h"

namespace tavola::design {

// Returns the lints of a design without errors, except those that the design accepts.
std::vector<Diagnostic> lint(const Design& design);

}  // namespace tavola::design
