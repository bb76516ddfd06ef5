#include "base/timestamps.h"

#include <algorithm>

namespace tavola {
namespace {

using namespace std::chrono;

constexpr WallTime kEarliest = sys_days(year(0) / 1 / 1);
constexpr WallTime kLatest = sys_days(year(9999) / 12 / 31) + 24h - 1ms;

// Writes the last `width` digits of a number to `out` and behind.
void write_digits(char* out, unsigned number, std::size_t width) {
  for (std::size_t i = width; i > 0; number /= 10) out[--i] = static_cast<char>('0' + number % 10);
}

// Returns the number of the two digits at this place; -1 if they are not digits.
int two_digits(std::string_view text, std::size_t at) {
  const auto tens = static_cast<unsigned char>(text[at] - '0');
  const auto ones = static_cast<unsigned char>(text[at + 1] - '0');
  return tens > 9 || ones > 9 ? -1 : 10 * tens + ones;
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
    std::string fraction(3, '0');
    write_digits(fraction.data(), static_cast<unsigned>((moment - second).count()), 3);
    return with_fraction(second, std::move(fraction), digits);
  }
  const Iso8601Text text = iso8601_text(moment);
  return {text.begin(), text.end()};
}

Iso8601Text iso8601_text(WallTime moment) {
  moment = std::clamp(moment, kEarliest, kLatest);
  const auto midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const auto second = static_cast<unsigned>(floor<seconds>(moment - midnight).count());  // of the day
  Iso8601Text text = std::to_array(
      {'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0', '0', ':', '0', '0', ':', '0', '0', 'Z'});
  write_digits(&text[0], static_cast<unsigned>(static_cast<int>(date.year())), 4);
  write_digits(&text[5], static_cast<unsigned>(date.month()), 2);
  write_digits(&text[8], static_cast<unsigned>(date.day()), 2);
  write_digits(&text[11], second / 3600, 2);
  write_digits(&text[14], second / 60 % 60, 2);
  write_digits(&text[17], second % 60, 2);
  return text;
}

std::optional<WallTime> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const int century = two_digits(text, 0);
  const int y = two_digits(text, 2);
  const int m = two_digits(text, 5);
  const int d = two_digits(text, 8);
  if (century < 0 || y < 0 || m < 0 || d < 0) return std::nullopt;
  const year_month_day date(year(100 * century + y), month(static_cast<unsigned>(m)),
                            day(static_cast<unsigned>(d)));
  return date.ok() ? std::optional<WallTime>(sys_days(date)) : std::nullopt;
}

std::optional<WallTime> parse_iso8601(std::string_view text) {
  if (text.size() != 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z') {
    return std::nullopt;
  }
  const auto date = parse_date(text.substr(0, 10));
  const int h = two_digits(text, 11);
  const int m = two_digits(text, 14);
  const int s = two_digits(text, 17);
  if (!date || h < 0 || m < 0 || s < 0 || h > 23 || m > 59 || s > 59) return std::nullopt;
  return *date + hours(h) + minutes(m) + seconds(s);
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
