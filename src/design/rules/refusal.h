// The error of a write that breaks a design: "Tavola: Product.unitPrice must be ≥ 0 (was -1) [InventorySystem.yaml:41]".
#pragma once

#include <string>

#include <tavola/error.h>

#include "design/model/model.h"

namespace tavola::design {

// `at` is the part of the design that the write breaks.
inline Error refusal(const Design& design, const std::string& message, const Span& at,
                     ErrorCode code = ErrorCode::Validation) {
  return {code, "Tavola: " + message + " [" + design.file + ":" + std::to_string(at.begin.line) + "]"};
}

}  // namespace tavola::design
