// A mistake in the text of a rule. The parser returns it as the detail of an Error.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tavola/error.h>

namespace tavola::expr {

// A mistake in a rule's text, at the bytes [offset, offset + length).
struct RuleProblem {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;
  std::string advice;
};

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
