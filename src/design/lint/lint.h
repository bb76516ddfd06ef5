// Lints: what will surprise in a design that runs.
#pragma once

#include <vector>

#include "design/language/diagnostic.h"
#include "design/model/model.h"

namespace tavola::design {

// Of a design without errors. What the design accepts is not among them.
std::vector<Diagnostic> lint(const Design& design);

}  // namespace tavola::design
