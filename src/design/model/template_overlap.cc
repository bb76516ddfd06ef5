// Decides whether two templates have a text in common. Each is a chain of symbols; a symbol is one character or any
// character, and may repeat. The search follows the pairs of positions in the two chains that some text reaches until
// both chains end.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "design/model/template.h"

namespace tavola::design {
namespace {

struct Symbol {
  enum class Kind : std::uint8_t { One, AnyButHash, Any };
  Kind kind = Kind::One;
  char one = 0;

  bool repeats() const { return kind != Kind::One; }
  bool takes(char c) const { return kind == Kind::One ? one == c : kind == Kind::Any || c != '#'; }
};

// Returns the symbols byte by byte: a placeholder takes all bytes of a character or none, and a literal has
// whole characters.
std::vector<Symbol> symbols_of(const Template& pattern, const FieldForms& forms) {
  std::vector<Symbol> symbols;
  for (const Template::Part& part : pattern.parts()) {
    if (const auto* const literal = std::get_if<std::string>(&part)) {
      for (const char c : *literal) symbols.push_back({Symbol::Kind::One, c});
      continue;
    }
    const bool is_last = &part == &pattern.parts().back();
    const bool raw = is_last && forms(std::get<Placeholder>(part).field).raw;
    symbols.push_back({raw ? Symbol::Kind::Any : Symbol::Kind::AnyButHash});
  }
  return symbols;
}

// Returns whether some character matches both.
bool meet(const Symbol& a, const Symbol& b) {
  if (a.kind == Symbol::Kind::One) return b.takes(a.one);
  if (b.kind == Symbol::Kind::One) return a.takes(b.one);
  return true;
}

// A set of positions in a chain, one bit for each.
class Places {
 public:
  explicit Places(std::size_t count) : words_(count / kBits + 1) {}

  bool has(std::size_t at) const { return (words_[at / kBits] >> (at % kBits) & 1U) != 0; }
  void add(std::size_t at) { words_[at / kBits] |= std::uint64_t{1} << (at % kBits); }

  // Sets this to the positions reached from `live`: the next position of each, and those among `repeating` themselves.
  // Returns false if there are none.
  bool step(const Places& live, const Places& repeating) {
    std::uint64_t carried = 0;
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = live.words_[i] << 1U | carried | (live.words_[i] & repeating.words_[i]);
      carried = live.words_[i] >> (kBits - 1);
      any |= words_[i];
    }
    return any != 0;
  }
  void keep(const Places& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= others.words_[i];
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

// Walks along chain `a` and tracks, at each of its symbols, all positions of `b` that some text reaches. The work is a
// 64th of the pairs of positions: keys may be long, and those of all entities are compared.
class Walk {
 public:
  explicit Walk(const std::vector<Symbol>& b)
      : b_(b), repeating_(b.size()), here_(b.size()), next_(b.size()) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j].repeats()) repeating_.add(j);
    }
  }

  bool reaches_both_ends(const std::vector<Symbol>& a) {
    here_.add(0);
    for (const Symbol& symbol : a) {
      const Places& meeting = meeting_with(symbol);
      if (symbol.repeats()) repeat(meeting);
      here_.keep(meeting);
      if (!next_.step(here_, repeating_)) return false;
      std::swap(here_, next_);
    }
    return here_.has(b_.size());
  }

 private:
  // A repeated symbol may also take the next position from every position it can take.
  void repeat(const Places& meeting) {
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (here_.has(j) && meeting.has(j)) here_.add(j + 1);
    }
  }

  // Returns the positions of `b` with a character that also matches the symbol.
  const Places& meeting_with(const Symbol& symbol) {
    constexpr std::size_t kCharacters = 256;
    const std::size_t number = symbol.kind == Symbol::Kind::One
                                   ? static_cast<unsigned char>(symbol.one)
                                   : kCharacters + static_cast<std::size_t>(symbol.kind);
    std::size_t& known = meeting_numbers_[number];
    if (known != 0) return meeting_[known - 1];
    Places& places = meeting_.emplace_back(b_.size());
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (meet(symbol, b_[j])) places.add(j);
    }
    known = meeting_.size();
    return places;
  }

  const std::vector<Symbol>& b_;
  Places repeating_;
  Places here_;
  Places next_;
  std::deque<Places> meeting_;
  std::array<std::size_t, 260> meeting_numbers_{};  // of symbols in meeting_, from 1; 0: missing
};

}  // namespace

bool Template::overlaps(const Template& other, const FieldForms& forms, const FieldForms& other_forms) const {
  const std::size_t both = std::min(prefix().size(), other.prefix().size());
  if (prefix().substr(0, both) != other.prefix().substr(0, both)) return false;
  const std::vector<Symbol> symbols = symbols_of(other, other_forms);
  return Walk(symbols).reaches_both_ends(symbols_of(*this, forms));
}

}  // namespace tavola::design
