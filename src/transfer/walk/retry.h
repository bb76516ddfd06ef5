// Asking again what failed only for now: a server that throttles, or that does not answer for a while.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <tavola/database.h>

namespace tavola::transfer {

using Pause = std::function<void(std::chrono::milliseconds)>;

// Tries before one gives up: about a minute and a half of pauses.
inline constexpr int kTriesMax = 20;

bool is_passing(const Error& error);
// Up to 50 ms, then twice as much each time, up to ten seconds; never all who wait at the same moment.
std::chrono::milliseconds pause_after(int tries);

// What `call` says, or said after as many tries as make sense.
template <class Call>
auto patiently(const Pause& pause, Call call) -> decltype(call()) {
  for (int tries = 1;; ++tries) {
    auto result = call();
    if (result || tries == kTriesMax || !is_passing(result.error())) return result;
    pause(pause_after(tries));
  }
}

// Writes all of them; what is left unprocessed is sent again. A write that is wrong fails all.
Result<void> write_all(Database& database, TableWrites writes, const Pause& pause);

// The items of these keys that are there, in any order; what is left unprocessed is asked again.
Result<std::vector<PackedItem>> get_all(Database& database, KeysToGet keys, const Pause& pause);

}  // namespace tavola::transfer
