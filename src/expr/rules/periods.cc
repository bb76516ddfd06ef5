#include "expr/rules/periods.h"

#include <charconv>

#include "base/timestamps.h"

namespace tavola::expr {
namespace {

using namespace std::chrono;

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// The Thursday of a week is in the year that the week belongs to.
sys_days thursday_of(sys_days day) { return day + days(4 - static_cast<int>(weekday(day).iso_encoding())); }

sys_days monday_of(year in, std::int64_t week) {
  return thursday_of(sys_days(in / January / 4)) - days(3) + days(7 * (week - 1));
}

std::string week_text(sys_days day) {
  const sys_days thursday = thursday_of(day);
  const year_month_day date(thursday);
  const auto week = (thursday - sys_days(date.year() / January / 1)).count() / 7 + 1;
  return iso8601(thursday).substr(0, 4) + "-W" + two_digits(week);
}

std::optional<int> digits_in(std::string_view text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
    return std::nullopt;
  return number;
}

}  // namespace

std::string period_at(Function function, WallTime time, const TimeZone& zone, std::int64_t shift) {
  const sys_days day = zone.day_at(time);
  if (function == Function::Week) return week_text(day + days(7 * shift));
  if (function == Function::Day) return iso8601(day + days(shift)).substr(0, 10);
  const year_month_day date(day);
  const year_month shifted = date.year() / date.month() + months(shift);
  return iso8601(sys_days(shifted / 1)).substr(0, 7);
}

std::optional<Period> parse_period(std::string_view text) {
  if (text.size() == 10) {
    const std::optional<WallTime> day = parse_date(text);
    if (!day) return std::nullopt;
    const auto first = floor<days>(*day);
    return Period{first, first + days(1)};
  }
  if (text.size() < 7 || text[4] != '-') return std::nullopt;
  const std::optional<int> in = digits_in(text.substr(0, 4));
  const bool is_week = text[5] == 'W';
  const std::optional<int> number = digits_in(text.substr(is_week ? 6 : 5));
  if (!in || !number || text.size() != (is_week ? 8U : 7U) || *number < 1) return std::nullopt;
  if (is_week) {
    const sys_days first = monday_of(year(*in), *number);
    if (week_text(first) != text) return std::nullopt;  // most years have no week 53
    return Period{first, first + days(7)};
  }
  if (*number > 12) return std::nullopt;
  const year_month first = year(*in) / month(static_cast<unsigned>(*number));
  return Period{sys_days(first / 1), sys_days((first + months(1)) / 1)};
}

}  // namespace tavola::expr
