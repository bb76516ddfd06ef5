// The parts of performing an operation that runner.h and deletions.h share: read, write, and the meaning of a failure.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <tavola/database.h>

#include "base/retry.h"
#include "design/requests/operation_plan.h"

namespace tavola::runner {

// The result of a write. It happened unless there is a cause.
struct Written {
  double units = 0;
  std::optional<design::Cause> cause = std::nullopt;
  bool unfinished = false;  // as in Done
};

// Reads what the plan of a call needs.
Result<design::ReadItems> read_all(Database& database, const design::Call& call);

Result<Written> write(Database& database, const design::Plan& plan,
                      const std::shared_ptr<const Caller>& caller);

// The error of an operation whose attempts all lost against others.
Error conflict();

// The others who change the same items are done within about a millisecond.
inline constexpr RetryDelays kDelays{.first = std::chrono::microseconds(50),
                                     .longest = std::chrono::microseconds(3200)};

}  // namespace tavola::runner
