#include "design/model/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tavola::design {
namespace {

constexpr std::size_t kWordMax = 64;  // longer words are not compared: nobody mistypes them by two letters

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) { return lower(a) == lower(b); }

// Edit distance with swapped neighbours (optimal string alignment), over three rows of the usual table.
std::size_t mistakes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = same(a[i - 1], b[j - 1]) ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + wrong});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kWordMax) return {};
  // At most one mistake in three letters: "dco" may be "doc", but "at" is not "id".
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kWordMax) continue;
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= fewest) continue;
    const std::size_t count = mistakes(word, candidate);
    if (count >= fewest || count >= candidate.size()) continue;
    fewest = count;
    best = &candidate;
  }
  return best == nullptr ? std::string() : *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view otherwise) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? std::string(otherwise) : "Did you mean `" + near + "`?";
}

}  // namespace tavola::design
