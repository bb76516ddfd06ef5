#include "work/frontier.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace crawler {
namespace {

constexpr std::size_t kAddressBytesMax = 1000;  // as the design says
constexpr std::size_t kSegmentsMax = 16;
constexpr unsigned kSameSegmentMax = 2;
constexpr unsigned kDatedMax = 60;
constexpr unsigned kCombinedMax = 100;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "2026", "2026-01", "2026-01-15", "20260115".
bool is_date(std::string_view text) {
  if (text.size() < 4 || !is_number(text.substr(0, 4))) return false;
  const bool is_century = text.starts_with("19") || text.starts_with("20");
  const std::string_view rest = text.substr(4);
  if (rest.empty()) return is_century;
  if (rest.size() == 3 || rest.size() == 6) {
    return is_century && rest[0] == '-' && is_number(rest.substr(1, 2)) &&
           (rest.size() == 3 || (rest[3] == '-' && is_number(rest.substr(4))));
  }
  return is_century && rest.size() == 4 && is_number(rest) && rest.substr(0, 2) <= "12" &&
         rest.substr(2) <= "31";
}

bool is_calendar_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "year",     "month", "day", "week",  "date",           "cal",
      "cal_date", "mon",   "yr",  "monat", "tribe-bar-date", "start_date"};
  return std::ranges::find(kNames, small_letters(name)) != kNames.end();
}

// Calls `each` with the parts of a text between separators.
template <class Each>
void for_each_part(std::string_view text, char separator, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The address with its dates left out; nullopt if it has none. A year alone in a path is not a date unless a month follows.
std::optional<std::string> without_dates(const Url& url) {
  std::string shape;
  bool has_date = false;
  std::string_view previous;
  for_each_part(url.path, '/', [&](std::string_view segment) {
    const bool is_month = is_number(segment) && segment.size() <= 2 && is_date(previous);
    has_date = has_date || is_month || (is_date(segment) && segment.size() > 4);
    shape += is_month || is_date(segment) ? "/#" : "/" + std::string(segment);
    previous = segment;
  });
  for_each_part(url.query.value_or(""), '&', [&](std::string_view parameter) {
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
    const bool is_dated =
        is_calendar_parameter(parameter.substr(0, equals)) || (is_date(value) && value.size() > 4);
    has_date = has_date || is_dated;
    shape += "?" + std::string(is_dated ? parameter.substr(0, equals) : parameter);
  });
  return has_date ? std::optional(std::move(shape)) : std::nullopt;
}

bool is_endless_path(const Url& url) {
  std::map<std::string_view, unsigned> times;
  std::size_t segments = 0;
  unsigned most = 0;
  for_each_part(url.path, '/', [&](std::string_view segment) {
    if (segment.empty()) return;
    ++segments;
    most = std::max(most, ++times[segment]);
  });
  return segments > kSegmentsMax || most > kSameSegmentMax;
}

}  // namespace

bool TrapDetector::is_trap(const Url& url) {
  if (url.text().size() > kAddressBytesMax || is_endless_path(url)) return true;
  const std::hash<std::string> hash;
  if (const auto shape = without_dates(url); shape && ++dated_[hash(*shape)] > kDatedMax) return true;
  const std::string query = url.query.value_or("");
  return std::ranges::count(query, '&') >= 2 && ++combined_[hash(url.path)] > kCombinedMax;
}

bool Frontier::add(FrontierPage page) {
  if (page.depth > limits_.depth || has_all_pages()) {
    if (!seen_.contains(std::hash<std::string>()(page.url.text()))) ++beyond_limits_;
    return false;
  }
  if (!mark(page.url)) return false;
  if (trap_detector_.is_trap(page.url)) {
    ++traps_;
    return false;
  }
  ++added_;
  if (by_depth_.size() <= page.depth) by_depth_.resize(page.depth + 1);
  by_depth_[page.depth].push_back(std::move(page));
  return true;
}

std::optional<FrontierPage> Frontier::next() {
  for (auto& pages : by_depth_) {
    if (pages.empty()) continue;
    FrontierPage page = std::move(pages.front());
    pages.pop_front();
    return page;
  }
  return std::nullopt;
}

}  // namespace crawler
