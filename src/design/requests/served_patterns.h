// Which patterns are requests.
#pragma once

#include "design/model/model.h"

namespace tavola::design {

// Returns whether a request answers the pattern: it is not merely planned, and it reads.
inline bool is_served(const Pattern& pattern) {
  return !pattern.planned && pattern.form != Pattern::Form::None && pattern.form != Pattern::Form::Transition;
}

}  // namespace tavola::design
