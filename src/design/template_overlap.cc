// Whether two templates have a text in common. Each is a chain of symbols, of which one is a character or any character,
// and may repeat; the pairs of places in the two chains that some text reaches are walked until both chains end.
#include <vector>

#include "design/template.h"

namespace tavola::design {
namespace {

struct Symbol {
  enum class Kind : std::uint8_t { One, AnyButHash, Any };
  Kind kind = Kind::One;
  char one = 0;

  bool repeats() const { return kind != Kind::One; }
  bool takes(char c) const { return kind == Kind::One ? one == c : kind == Kind::Any || c != '#'; }
};

// Byte by byte: a placeholder takes all bytes of a character or none, and a literal has whole characters.
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

// Whether some character suits both.
bool meet(const Symbol& a, const Symbol& b) {
  if (a.kind == Symbol::Kind::One) return b.takes(a.one);
  if (b.kind == Symbol::Kind::One) return a.takes(b.one);
  return true;
}

class Walk {
 public:
  Walk(std::vector<Symbol> a, std::vector<Symbol> b)
      : a_(std::move(a)), b_(std::move(b)), seen_((a_.size() + 1) * (b_.size() + 1)) {}

  bool reaches_both_ends() {
    visit(0, 0);
    while (!waiting_.empty()) {
      const auto [i, j] = waiting_.back();
      waiting_.pop_back();
      if (i == a_.size() && j == b_.size()) return true;
      if (i == a_.size() || j == b_.size() || !meet(a_[i], b_[j])) continue;
      visit(i + 1, j + 1);
      if (a_[i].repeats()) visit(i, j + 1);
      if (b_[j].repeats()) visit(i + 1, j);
      // That both repeat leads to where this is.
    }
    return false;
  }

 private:
  void visit(std::size_t i, std::size_t j) {
    if (seen_[i * (b_.size() + 1) + j]) return;
    seen_[i * (b_.size() + 1) + j] = true;
    waiting_.emplace_back(i, j);
  }

  std::vector<Symbol> a_;
  std::vector<Symbol> b_;
  std::vector<bool> seen_;
  std::vector<std::pair<std::size_t, std::size_t>> waiting_;
};

}  // namespace

bool Template::overlaps(const Template& other, const FieldForms& forms, const FieldForms& other_forms) const {
  return Walk(symbols_of(*this, forms), symbols_of(other, other_forms)).reaches_both_ends();
}

}  // namespace tavola::design
