// A vocabulary from a map: names, and the values each may have. For tests only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "expr/rules/rule.h"

namespace tavola::expr {

class TestVocabulary final : public Vocabulary {
 public:
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> names;

  bool is_name(std::string_view word) const override { return !word.empty() && names.contains(word); }
  bool is_value_of(std::string_view name, std::string_view word) const override {
    const auto found = names.find(name);
    return found != names.end() && found->second.contains(word);
  }
  // Returns a name with the same first three letters.
  std::string nearest(std::string_view word) const override {
    for (const auto& [name, values] : names) {
      if (word.size() > 2 && name.starts_with(word.substr(0, 3))) return name;
    }
    return {};
  }
};

// Counts, so that ids are predictable.
class CountingRandom final : public Random {
 public:
  std::uint64_t next() override { return count_++; }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace tavola::expr
