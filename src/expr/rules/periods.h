// Days, weeks and months of a time zone, as texts that sort by time: 2024-01-31, 2024-W05 (ISO 8601, from Monday), 2024-01.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time_zone.h"
#include "expr/language/functions.h"

namespace tavola::expr {

// Returns the period of a time; `function` is Day, Week or Month. With a shift, it returns the period that many periods later.
std::string period_at(Function function, WallTime time, const TimeZone& zone, std::int64_t shift);

struct Period {
  std::chrono::sys_days first;
  std::chrono::sys_days after;  // the first day of the next one
};
// Parses any of the three; nullopt for other texts.
std::optional<Period> parse_period(std::string_view text);

}  // namespace tavola::expr
