#include "base/timestamps.h"

#include <algorithm>

namespace tavola {
namespace {

using namespace std::chrono;

constexpr WallTime kEarliest = sys_days(year(0) / 1 / 1);
constexpr WallTime kLatest = sys_days(year(9999) / 12 / 31) + 24h - 1ms;

// Appends the last `width` digits of a number that is not negative.
void append_digits(std::string& out, long number, std::size_t width) {
  out.append(width, '0');
  for (std::size_t at = out.size(); number > 0 && width > 0; number /= 10, --width)
    out[--at] = static_cast<char>('0' + number % 10);
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

namespace {

// A time with nanoseconds: WallTime has milliseconds.
struct ExactTime {
  sys_seconds second;
  std::string digits;  // of the fraction, up to nine
};

// Takes ".123" off the front of `text`, and returns its digits; empty without a fraction. Returns nullopt if it has too few or too many.
std::optional<std::string> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return "";
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  if (end < 2 || end > 10) return std::nullopt;
  std::string digits(text.substr(1, end - 1));
  text.remove_prefix(end);
  return digits;
}

// Parses Z, +01:00, +0100 or +01.
std::optional<minutes> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0min;
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool is_west = text[0] == '-';
  const auto h = parse_digits(text.substr(1, 2));
  text.remove_prefix(3);
  if (text.starts_with(':') && text.size() == 3) text.remove_prefix(1);
  const auto m = text.empty() ? std::optional(0) : text.size() == 2 ? parse_digits(text) : std::nullopt;
  if (!h || !m || *h > 23 || *m > 59) return std::nullopt;
  const minutes offset = hours(*h) + minutes(*m);
  return is_west ? -offset : offset;
}

std::optional<ExactTime> parse_exactly(std::string_view text) {
  constexpr std::size_t kToSeconds = 19;  // 2024-01-31T12:00:00
  if (text.size() <= kToSeconds) return std::nullopt;
  std::string whole(text.substr(0, kToSeconds));
  if (whole[10] == 't' || whole[10] == ' ') whole[10] = 'T';
  const auto local = parse_iso8601(whole += 'Z');
  text.remove_prefix(kToSeconds);
  auto digits = take_fraction(text);
  const auto offset = parse_offset(text);
  if (!local || !digits || !offset) return std::nullopt;
  const WallTime utc = *local - *offset;
  if (utc < kEarliest || utc > kLatest) return std::nullopt;
  return ExactTime{floor<seconds>(utc), *std::move(digits)};
}

std::string with_fraction(WallTime second, std::string digits, unsigned wanted) {
  std::string text = iso8601(second);
  if (wanted == 0) return text;
  digits.resize(wanted, '0');
  return text.insert(text.size() - 1, "." + digits);
}

}  // namespace

std::string iso8601(WallTime moment, unsigned digits) {
  moment = std::clamp(moment, kEarliest, kLatest);
  if (digits > 0) {
    const WallTime second = floor<seconds>(moment);
    std::string fraction;
    append_digits(fraction, (moment - second).count(), 3);
    return with_fraction(second, std::move(fraction), digits);
  }
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

std::optional<std::string> normal_iso8601(std::string_view text, unsigned digits) {
  auto time = parse_exactly(text);
  if (!time) return std::nullopt;
  return with_fraction(time->second, std::move(time->digits), digits);
}

std::optional<WallTime> parse_any_iso8601(std::string_view text) {
  auto time = parse_exactly(text);
  if (!time) return std::nullopt;
  time->digits.resize(3, '0');
  return WallTime(time->second) + milliseconds(parse_digits(time->digits).value_or(0));
}

}  // namespace tavola
