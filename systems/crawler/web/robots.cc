#include "web/robots.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "web/url.h"

namespace crawler {
namespace {

// Returns the text with the characters encoded that mean something in patterns: a pattern names them as %2A and %24.
std::string with_plain_characters(std::string_view target) {
  std::string out;
  for (const char c : normal_encoding(target)) {
    if (c == '*') {
      out += "%2A";
    } else if (c == '$') {
      out += "%24";
    } else {
      out += c;
    }
  }
  return out;
}

// Matches from the beginning; the pattern need not cover the whole text unless it ends with $. Linear in practice: of several *, only
// the last one is tried again.
bool matches(std::string_view pattern, std::string_view text) {
  const bool to_the_end = pattern.ends_with('$');
  if (to_the_end) pattern.remove_suffix(1);
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (true) {
    if (p == pattern.size() && (!to_the_end || t == text.size())) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && t < text.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && star_text < text.size()) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
}

std::optional<std::chrono::milliseconds> read_delay(std::string_view value) {
  unsigned seconds = 0;
  const char* const end = value.data() + value.size();
  const auto [next, problem] = std::from_chars(value.data(), end, seconds);
  if (problem != std::errc() || seconds > 86'400) return std::nullopt;
  unsigned thousandths = 0;
  unsigned unit = 100;
  if (next != end && *next == '.') {
    for (const char* digit = next + 1; digit != end && *digit >= '0' && *digit <= '9'; ++digit, unit /= 10) {
      thousandths += static_cast<unsigned>(*digit - '0') * unit;
    }
  }
  return std::chrono::milliseconds(seconds * 1000 + thousandths);
}

struct Line {
  std::string name;  // in small letters; empty: not a line of the format
  std::string_view value;
};

// Takes the first line off the text: "name: value # comment".
Line take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  line = line.substr(0, line.find('#'));
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {small_letters(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1))};
}

// Returns the product token at the beginning of a user-agent line: "Tavola-Crawler/1.0" names tavola-crawler.
std::string product_token_of(std::string_view value) {
  if (value.starts_with('*')) return "*";
  const auto end = std::ranges::find_if(value, [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-');
  });
  return small_letters(std::string_view(value.begin(), end));
}

}  // namespace

Robots Robots::parse(std::string_view text, std::string_view product_token) {
  text = text.substr(0, kRobotsBytesMax);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string own_token = small_letters(product_token);
  struct Group {
    bool is_named = false;
    std::vector<Rule> rules;
    std::optional<std::chrono::milliseconds> delay;
  };
  Group own;
  Group others;
  Robots robots;
  bool for_own = false;
  bool for_others = false;
  bool names_agents = false;  // the previous record was a user-agent line: the next one names the same group
  while (!text.empty()) {
    const Line line = take_line(text);
    if (line.name == "user-agent") {
      if (!std::exchange(names_agents, true)) for_own = for_others = false;
      const std::string token = product_token_of(line.value);
      for_own = for_own || token == own_token;
      for_others = for_others || token == "*";
      own.is_named = own.is_named || for_own;
      continue;
    }
    if (line.name == "sitemap" && !line.value.empty()) robots.sitemaps_.emplace_back(line.value);
    const bool is_rule = line.name == "allow" || line.name == "disallow";
    if (is_rule || line.name == "crawl-delay") names_agents = false;
    for (auto [applies, group] : {std::pair(for_own, &own), std::pair(for_others, &others)}) {
      if (!applies) continue;
      // An empty pattern matches nothing: "Disallow:" allows everything.
      if (is_rule && !line.value.empty())
        group->rules.push_back({line.name == "allow", normal_encoding(line.value)});
      if (line.name == "crawl-delay") group->delay = read_delay(line.value);
    }
  }
  Group& chosen = own.is_named ? own : others;
  robots.rules_ = std::move(chosen.rules);
  robots.crawl_delay_ = chosen.delay;
  return robots;
}

bool Robots::allows(std::string_view target) const {
  if (target == "/robots.txt") return true;
  const std::string text = with_plain_characters(target);
  const Rule* best = nullptr;
  for (const Rule& rule : rules_) {
    if (!matches(rule.pattern, text)) continue;
    const bool is_better = best == nullptr || rule.pattern.size() > best->pattern.size() ||
                           (rule.pattern.size() == best->pattern.size() && rule.allow);
    if (is_better) best = &rule;
  }
  return best == nullptr || best->allow;
}

}  // namespace crawler
