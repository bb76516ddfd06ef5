// Retries of temporary failures: a server that throttles, or does not respond for a while.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <tavola/database.h>

namespace tavola::moving {

using Pause = std::function<void(std::chrono::milliseconds)>;

// The maximum number of tries: about a minute and a half of pauses.
inline constexpr int kTriesMax = 20;

bool is_passing(const Error& error);
// Returns up to 50 ms, then twice as much each time, up to ten seconds; randomized, so that clients do not
// retry at once.
std::chrono::milliseconds pause_after(int tries);

// Returns the result of `call`, after as many retries as make sense.
template <class Call>
auto patiently(const Pause& pause, Call call) -> decltype(call()) {
  for (int tries = 1;; ++tries) {
    auto result = call();
    if (result || tries == kTriesMax || !is_passing(result.error())) return result;
    pause(pause_after(tries));
  }
}

// Writes all of them, and sends unprocessed ones again. A wrong write fails all.
Result<void> write_all(Database& database, TableWrites writes, const Pause& pause);

// Returns the existing items of these keys, in any order; unprocessed keys are requested again.
Result<std::vector<PackedItem>> get_all(Database& database, KeysToGet keys, const Pause& pause);

}  // namespace tavola::moving
