// The inputs of computed values: the time, randomness and the caller.
#pragma once

#include <tavola/requests.h>

#include "base/clock.h"
#include "base/random.h"
#include "expr/rules/rule.h"

namespace tavola::design {

// The inputs of a write besides the request itself: the time, a source of randomness, and the caller.
struct Ambient {
  WallTime now{};
  Random* random = nullptr;
  const Caller* caller = nullptr;  // null: the program itself, which may write any name
  bool may_import = false;  // the caller has a role with `import`: new items keep their states and counters

  // Returns `inputs` completed with the time, randomness and the caller.
  expr::RuleInputs with(expr::RuleInputs inputs) const {
    inputs.now = now;
    inputs.random = random;
    if (caller != nullptr) inputs.caller = caller->sub;
    return inputs;
  }
};

}  // namespace tavola::design
