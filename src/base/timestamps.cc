#include "base/timestamps.h"

#include <algorithm>

namespace tavola {
namespace {

using namespace std::chrono;

constexpr WallTime kEarliest = sys_days(year(0) / 1 / 1);
constexpr WallTime kLatest = sys_days(year(9999) / 12 / 31) + 24h - 1ms;

void append_digits(std::string& out, long number, std::size_t width) {
  const std::string digits = std::to_string(number);
  out.append(width - std::min(width, digits.size()), '0').append(digits);
}

// Parses a number that consists of exactly these digits.
std::optional<int> parse_digits(std::string_view text) {
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

std::string iso8601(WallTime moment) {
  moment = std::clamp(moment, kEarliest, kLatest);
  const auto midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const hh_mm_ss time(floor<seconds>(moment) - midnight);
  std::string text;
  append_digits(text, static_cast<int>(date.year()), 4);
  append_digits(text += '-', static_cast<unsigned>(date.month()), 2);
  append_digits(text += '-', static_cast<unsigned>(date.day()), 2);
  append_digits(text += 'T', time.hours().count(), 2);
  append_digits(text += ':', time.minutes().count(), 2);
  append_digits(text += ':', time.seconds().count(), 2);
  return text += 'Z';
}

std::optional<WallTime> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto y = parse_digits(text.substr(0, 4));
  const auto m = parse_digits(text.substr(5, 2));
  const auto d = parse_digits(text.substr(8, 2));
  if (!y || !m || !d) return std::nullopt;
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)), day(static_cast<unsigned>(*d)));
  return date.ok() ? std::optional<WallTime>(sys_days(date)) : std::nullopt;
}

std::optional<WallTime> parse_iso8601(std::string_view text) {
  if (text.size() != 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z') {
    return std::nullopt;
  }
  const auto date = parse_date(text.substr(0, 10));
  const auto h = parse_digits(text.substr(11, 2));
  const auto m = parse_digits(text.substr(14, 2));
  const auto s = parse_digits(text.substr(17, 2));
  if (!date || !h || !m || !s || *h > 23 || *m > 59 || *s > 59) return std::nullopt;
  return *date + hours(*h) + minutes(*m) + seconds(*s);
}

}  // namespace tavola
