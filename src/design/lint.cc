#include "design/lint.h"

namespace tavola::design {

std::vector<Diagnostic> lint(const Design& /*design*/) { return {}; }

}  // namespace tavola::design
