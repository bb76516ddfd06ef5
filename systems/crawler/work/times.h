// Times as the registry keeps them: "2026-01-15T10:00:00Z".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/time.h>

namespace crawler {

std::string to_text(tavola::WallTime time);
tavola::WallTime now();
std::optional<tavola::WallTime> read_time(std::string_view text);

// Reads a duration: "90s", "10m", "2h", "7d", "1500ms". Nullopt for other text.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

// Returns the time from the begin of a look at the registry to the next one. Each country is a request or more, which costs time, and money
// at Amazon: looks take a twentieth of the time at most.
std::chrono::steady_clock::duration pause_between_looks(std::chrono::steady_clock::duration least,
                                                        std::chrono::steady_clock::duration taken);

}  // namespace crawler
