// How a problem of a rule travels up from where it is found: as the detail of an Error.
#pragma once

#include <memory>
#include <utility>

#include <tavola/error.h>

#include "expr/rule.h"

namespace tavola::expr {

struct RuleProblemDetail final : ErrorDetail {
  explicit RuleProblemDetail(RuleProblem found) : problem(std::move(found)) {}
  RuleProblem problem;
};

inline Error rule_error(RuleProblem problem) {
  std::string message = problem.message;
  return {ErrorCode::Validation, std::move(message),
          std::make_shared<const RuleProblemDetail>(std::move(problem))};
}

}  // namespace tavola::expr
