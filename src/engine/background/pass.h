// The means that one pass of background work gets from the thread that runs it (worker.h).
#pragma once

#include <chrono>
#include <functional>

#include <tavola/error.h>

namespace tavola::engine {

struct BackgroundPass {
  std::function<bool()> stopping;
  // Waits between two portions of work, so that others have their turn.
  std::function<void(std::chrono::steady_clock::duration)> rest;
  // Takes every failure. The work that failed is tried again in the next pass.
  std::function<void(const Error&)> report;

  // Reports a failed result, and records the first one of a pass in `outcome`. A table that changed concurrently is not a
  // failure: the next pass handles it.
  void note(Result<void>& outcome, const Result<void>& result) const {
    if (result || result.error().code() == ErrorCode::Stale) return;
    report(result.error());
    if (outcome) outcome = result;
  }
};

}  // namespace tavola::engine
