#include "policy/pattern.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace tavola::policy {
namespace {

// A character, or a wildcard.
struct Unit {
  enum class Kind : std::uint8_t { Letter, One, Many };
  Kind kind = Kind::Letter;
  char letter = '\0';
};

// Takes time of at most the product of both lengths: only the last star is retried.
bool matches_units(const std::vector<Unit>& units, std::string_view text, bool ignores_case) {
  const auto fits = [&](const Unit& unit, char c) {
    if (unit.kind == Unit::Kind::One) return true;
    return unit.letter == c || (ignores_case && ascii_lower(unit.letter) == ascii_lower(c));
  };
  std::size_t unit = 0;
  std::size_t at = 0;
  std::optional<std::size_t> star;
  std::size_t after_star = 0;
  while (at < text.size()) {
    if (unit < units.size() && units[unit].kind == Unit::Kind::Many) {
      star = unit++;
      after_star = at;
    } else if (unit < units.size() && fits(units[unit], text[at])) {
      ++unit;
      ++at;
    } else if (star) {
      unit = *star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  return std::all_of(units.begin() + static_cast<std::ptrdiff_t>(unit), units.end(),
                     [](const Unit& left) { return left.kind == Unit::Kind::Many; });
}

}  // namespace

std::expected<Pattern, std::string> Pattern::parse(std::string_view text, const PatternRules& rules) {
  Pattern pattern;
  pattern.ignores_case_ = rules.ignores_case;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) pattern.pieces_.emplace_back(std::exchange(literal, {}));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (rules.wildcards && (c == '*' || c == '?')) {
      flush();
      pattern.pieces_.emplace_back(c == '*' ? Piece(Many()) : Piece(One()));
      continue;
    }
    if (!rules.variables || !text.substr(at).starts_with("${")) {
      literal.push_back(c);
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) return std::unexpected("\"" + std::string(text) + "\" lacks a }");
    const std::string_view name = text.substr(at + 2, end - at - 2);
    at = end;
    if (name == "*" || name == "?" || name == "$") {
      literal.append(name);
      continue;
    }
    const KeyInfo* const key = find_key(name);
    if (key == nullptr || key->has_several_values || key->type == KeyType::Boolean) {
      return std::unexpected("Tavola does not know the variable ${" + std::string(name) + "}");
    }
    flush();
    pattern.pieces_.emplace_back(key->key);
  }
  flush();
  return pattern;
}

bool Pattern::matches(std::string_view text, const Context& context) const {
  if (is_star()) return true;
  if (pieces_.size() == 1 && std::holds_alternative<std::string>(pieces_.front())) {
    const std::string& literal = std::get<std::string>(pieces_.front());
    return ignores_case_ ? same_text(literal, text) : literal == text;
  }
  std::vector<Unit> units;
  const auto append = [&units](std::string_view letters) {
    for (const char c : letters) units.push_back({Unit::Kind::Letter, c});
  };
  for (const Piece& piece : pieces_) {
    if (const auto* const literal = std::get_if<std::string>(&piece)) {
      append(*literal);
    } else if (const Key* const key = std::get_if<Key>(&piece)) {
      const std::vector<std::string>* const values = context.find(*key);
      if (values == nullptr) return false;
      append(values->front());
    } else {
      units.push_back({std::holds_alternative<One>(piece) ? Unit::Kind::One : Unit::Kind::Many});
    }
  }
  return matches_units(units, text, ignores_case_);
}

void Pattern::add_keys(KeySet& keys) const {
  for (const Piece& piece : pieces_) {
    if (const Key* const key = std::get_if<Key>(&piece)) keys.set(std::to_underlying(*key));
  }
}

bool Pattern::is_star() const { return pieces_.size() == 1 && std::holds_alternative<Many>(pieces_.front()); }

}  // namespace tavola::policy
