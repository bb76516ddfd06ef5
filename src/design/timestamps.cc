#include "design/timestamps.h"

#include <algorithm>
#include <cstdint>

#include "base/assert.h"

namespace tavola::design {
namespace {

using namespace std::chrono;
using Kind = AttributeType::Kind;

constexpr WallTime kEarliest = sys_days(year(0) / 1 / 1);
constexpr WallTime kLatest = sys_days(year(9999) / 12 / 31) + 24h - 1ms;

void append_digits(std::string& out, int number, std::size_t width) {
  const std::string digits = std::to_string(number);
  out.append(width - std::min(width, digits.size()), '0').append(digits);
}

// The number whose digits are exactly `text`.
std::optional<int> parse_digits(std::string_view text) {
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

std::optional<sys_days> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto y = parse_digits(text.substr(0, 4));
  const auto m = parse_digits(text.substr(5, 2));
  const auto d = parse_digits(text.substr(8, 2));
  if (!y || !m || !d) return std::nullopt;
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)), day(static_cast<unsigned>(*d)));
  return date.ok() ? std::optional(sys_days(date)) : std::nullopt;
}

}  // namespace

std::string iso8601(WallTime moment) {
  moment = std::clamp(moment, kEarliest, kLatest);
  const auto midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const hh_mm_ss time(floor<seconds>(moment) - midnight);
  std::string text;
  append_digits(text, static_cast<int>(date.year()), 4);
  append_digits(text += '-', static_cast<int>(static_cast<unsigned>(date.month())), 2);
  append_digits(text += '-', static_cast<int>(static_cast<unsigned>(date.day())), 2);
  append_digits(text += 'T', static_cast<int>(time.hours().count()), 2);
  append_digits(text += ':', static_cast<int>(time.minutes().count()), 2);
  append_digits(text += ':', static_cast<int>(time.seconds().count()), 2);
  return text += 'Z';
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
  return WallTime(*date) + hours(*h) + minutes(*m) + seconds(*s);
}

bool is_date(std::string_view text) { return parse_date(text).has_value(); }

Value write_moment(const AttributeType& type, WallTime moment) {
  TAVOLA_ASSERT(type.is_timestamp());
  if (type.kind == Kind::TimestampMs) return static_cast<std::int64_t>(moment.time_since_epoch().count());
  if (type.kind == Kind::TimestampS) {
    return static_cast<std::int64_t>(floor<seconds>(moment).time_since_epoch().count());
  }
  return iso8601(moment);
}

std::optional<WallTime> read_moment(const AttributeType& type, const Value& value) {
  if (type.kind == Kind::TimestampIso) {
    return value.is_string() ? parse_iso8601(value.string()) : std::nullopt;
  }
  if (!type.is_timestamp() || !value.is_number()) return std::nullopt;
  const auto count = value.number().to_int64();
  if (!count) return std::nullopt;
  if (type.kind == Kind::TimestampMs) return WallTime(milliseconds(*count));
  constexpr std::int64_t kSecondsMax = milliseconds::max().count() / 1000;
  if (*count > kSecondsMax || *count < -kSecondsMax) return std::nullopt;
  return WallTime(seconds(*count));
}

}  // namespace tavola::design
