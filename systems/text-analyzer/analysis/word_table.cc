#include "systems/text-analyzer/analysis/word_table.h"

#include <algorithm>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kSlotsAtFirst = 1024;

}  // namespace

WordTable::WordTable() : seed_(std::random_device()()), slots_(kSlotsAtFirst) {}

void WordTable::add(std::string_view word) {
  const std::uint64_t hash = XXH3_64bits_withSeed(word.data(), word.size(), seed_);
  Slot* slot = &slots_[find(word, hash)];
  if (slot->count == 0) {
    if ((used_ + 1) * 2 > slots_.size()) {
      grow();
      slot = &slots_[find(word, hash)];
    }
    *slot = {.hash = hash,
             .start = static_cast<std::uint32_t>(words_.size()),
             .length = static_cast<std::uint32_t>(word.size())};
    words_ += word;
    ++used_;
  }
  ++slot->count;
}

std::size_t WordTable::bytes() const {
  return slots_.size() * sizeof(Slot) + words_.capacity() + used_ * sizeof(WordCount);
}

std::vector<WordCount> WordTable::sorted() const {
  std::vector<WordCount> all;
  all.reserve(used_);
  for (const Slot& slot : slots_) {
    if (slot.count != 0) all.push_back({word_of(slot), slot.count});
  }
  std::ranges::sort(all, {}, &WordCount::word);
  return all;
}

void WordTable::clear() {
  slots_.assign(kSlotsAtFirst, {});
  slots_.shrink_to_fit();
  used_ = 0;
  words_.clear();
  words_.shrink_to_fit();
}

std::size_t WordTable::find(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].count != 0 && (slots_[at].hash != hash || word_of(slots_[at]) != word))
    at = (at + 1) & mask;
  return at;
}

void WordTable::grow() {
  std::vector<Slot> before(slots_.size() * 2);
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.count == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].count != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace tavola::text_analyzer
