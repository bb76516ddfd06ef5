// Words with how often they occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::text_analyzer {

struct WordCount {
  std::string_view word;
  std::uint64_t count;
};

// A hash table of words, stored one after the other: a text has millions of words and few different ones. Thread safety: none.
class WordTable {
 public:
  WordTable();

  void add(std::string_view word);
  std::size_t size() const { return used_; }
  // Returns the memory that the words need, also when they are sorted.
  std::size_t bytes() const;

  // Returns the words in the order of their bytes. They are valid until the next add() or clear().
  std::vector<WordCount> sorted() const;
  void clear();

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;  // 0: the slot is free
    std::uint32_t start = 0;
    std::uint32_t length = 0;
  };

  std::size_t find(std::string_view word, std::uint64_t hash) const;
  void grow();
  std::string_view word_of(const Slot& slot) const { return {words_.data() + slot.start, slot.length}; }

  std::uint64_t seed_;       // random: nobody can choose words that meet in one slot
  std::vector<Slot> slots_;  // a power of two of them
  std::size_t used_ = 0;
  std::string words_;
};

}  // namespace tavola::text_analyzer
