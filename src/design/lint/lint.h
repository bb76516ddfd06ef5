// Lints: surprising behaviour of a design that runs.
#pragma once

#include <span>
#include <vector>

#include "design/language/diagnostic.h"
#include "design/model/model.h"

namespace tavola::design {

// Returns the lints of a design without errors, except those that the design accepts.
std::vector<Diagnostic> lint(const Design& design);

// Returns the lint of a design without a file of cases: it has no examples, either.
std::vector<Diagnostic> lint_untested(const Design& design);

// Returns the lints of designs that are checked, and probably served, together.
std::vector<Diagnostic> lint_together(std::span<const Design* const> designs);

}  // namespace tavola::design
