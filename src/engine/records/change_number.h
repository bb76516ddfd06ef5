// The numbers of changes (change_log.h): the millisecond in which a change was committed, and which one it was in it.
//
//   [milliseconds since 1970, 44 bits] [20 bits]
//
// So the log is ordered by time, and the changes before a given time are a range of it.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace tavola::engine {

inline constexpr unsigned kChangesPerMillisecondBits = 20;

// Returns the smallest number that a change of that time can have.
inline std::uint64_t first_number(WallTime moment) {
  const auto milliseconds = moment.time_since_epoch().count();
  return milliseconds <= 0 ? 0 : static_cast<std::uint64_t>(milliseconds) << kChangesPerMillisecondBits;
}

inline WallTime moment_of(std::uint64_t number) {
  return WallTime(std::chrono::milliseconds(static_cast<std::int64_t>(number >> kChangesPerMillisecondBits)));
}

}  // namespace tavola::engine
