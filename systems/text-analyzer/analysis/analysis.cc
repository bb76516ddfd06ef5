#include "systems/text-analyzer/analysis/analysis.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unicode/coll.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kTop = 10;

constexpr bool is_ascii_letter(char byte) {
  const auto letter = static_cast<unsigned char>(static_cast<unsigned char>(byte) | 0x20U);
  return letter >= 'a' && letter <= 'z';
}

constexpr auto kAsciiLetters = [] {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < 128; ++byte) table[byte] = is_ascii_letter(static_cast<char>(byte));
  return table;
}();

// Two letters have small letters that depend on their surroundings or are several: the capital I with a dot, and sigma.
bool needs_context(UChar32 letter) { return letter == 0x130 || letter == 0x3A3; }

// Makes the letters of a word small, as in no particular language.
void make_small(std::string& word) {
  std::string small;
  const auto length = static_cast<std::int32_t>(word.size());
  std::int32_t at = 0;
  while (at < length) {
    UChar32 letter = 0;
    U8_NEXT_UNSAFE(word.data(), at, letter);
    if (needs_context(letter)) {
      small.clear();
      icu::UnicodeString::fromUTF8(word).toLower(icu::Locale::getRoot()).toUTF8String(small);
      break;
    }
    std::uint8_t bytes[U8_MAX_LENGTH];
    std::int32_t written = 0;
    U8_APPEND_UNSAFE(bytes, written, u_tolower(letter));
    small.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(written));
  }
  word = std::move(small);
}

// Returns the number of units of UTF-16: two for a character of four bytes, otherwise one.
std::uint64_t utf16_units(std::string_view word) {
  std::uint64_t units = 0;
  for (const char byte : word) {
    if (!U8_IS_TRAIL(byte)) units += static_cast<unsigned char>(byte) >= 0xF0 ? 2 : 1;
  }
  return units;
}

// Returns `sum` divided by `count`, with two digits, halves rounded up.
Number average(std::uint64_t sum, std::uint64_t count) {
  if (count == 0) return Number(0);
  const std::uint64_t cents =
      (sum % count * 200 + count) / (2 * count);  // 100 after rounding up to a whole number
  const std::uint64_t whole = sum / count + cents / 100;
  const std::string text = std::to_string(whole) + "." + static_cast<char>('0' + cents % 100 / 10) +
                           static_cast<char>('0' + cents % 10);
  return Number::parse(text).value_or(Number(0));
}

// The most frequent words. A dictionary's order decides between equally frequent ones: letters first, accents and bytes last.
class TopWords {
 public:
  TopWords() {
    UErrorCode status = U_ZERO_ERROR;
    order_.reset(icu::Collator::createInstance(icu::Locale::getRoot(), status));
  }

  void offer(const WordCount& word) {
    ++different_;
    if (top_.size() == kTop && !comes_before(word, top_.back())) return;
    const auto place =
        std::ranges::find_if(top_, [&](const FrequentWord& other) { return comes_before(word, other); });
    top_.insert(place, {std::string(word.word), word.count});
    if (top_.size() > kTop) top_.pop_back();
  }

  std::uint64_t different() const { return different_; }
  std::vector<FrequentWord> take() { return std::move(top_); }

 private:
  bool comes_before(const WordCount& word, const FrequentWord& other) const {
    if (word.count != other.count) return word.count > other.count;
    UErrorCode status = U_ZERO_ERROR;
    const auto order = order_ ? order_->compareUTF8(word.word, other.word, status) : UCOL_EQUAL;
    return order == UCOL_EQUAL ? word.word < other.word : order == UCOL_LESS;
  }

  std::unique_ptr<icu::Collator> order_;
  std::uint64_t different_ = 0;
  std::vector<FrequentWord> top_;
};

}  // namespace

Analyzer::Analyzer(std::size_t table_bytes)
    : table_bytes_(table_bytes), pieces_([this](std::string_view text) { return split(text); }) {}

Result<void> Analyzer::add(std::string_view bytes) { return pieces_.add(bytes); }

Result<void> Analyzer::split(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    TAVOLA_TRY(const std::size_t end, take_letters(text, at));
    if (end == text.size()) break;  // the next piece may continue the word
    TAVOLA_CHECK(end_word());
    at = end;
    // Skips one character that is not a letter.
    U8_FWD_1_UNSAFE(text.data(), at);
  }
  return {};
}

// Adds the letters at `at` to the word, and returns where they end.
Result<std::size_t> Analyzer::take_letters(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  while (at < text.size()) {
    if (kAsciiLetters[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    if (U8_IS_SINGLE(text[at])) break;
    std::size_t next = at;
    UChar32 letter = 0;
    U8_NEXT_UNSAFE(text.data(), next, letter);
    if (u_isalpha(letter) == 0) break;
    is_ascii_ = false;
    at = next;
  }
  if (word_.size() + (at - start) > kWordBytesMax) {
    return fail(Error::validation("The file has a word of more than " + std::to_string(kWordBytesMax) +
                                  " bytes, so it is probably not text."));
  }
  word_.append(text, start, at - start);
  return at;
}

Result<void> Analyzer::end_word() {
  if (word_.empty()) return {};
  if (is_ascii_) {
    for (char& letter : word_) letter = static_cast<char>(letter | 0x20);
  } else {
    make_small(word_);
  }
  ++total_words_;
  total_length_ += is_ascii_ ? word_.size() : utf16_units(word_);
  table_.add(word_);
  word_.clear();
  is_ascii_ = true;
  if (table_.bytes() <= table_bytes_) return {};
  TAVOLA_CHECK(runs_.add(table_.sorted()));
  table_.clear();
  return {};
}

Result<Analysis> Analyzer::finish() {
  TAVOLA_CHECK(pieces_.finish());
  TAVOLA_CHECK(end_word());
  TopWords top;
  if (runs_.empty()) {
    for (const WordCount& word : table_.sorted()) top.offer(word);
  } else {
    TAVOLA_CHECK(runs_.add(table_.sorted()));
    table_.clear();
    TAVOLA_CHECK(runs_.merge([&](const WordCount& word) -> Result<void> {
      top.offer(word);
      return {};
    }));
  }
  return Analysis{.total_words = total_words_,
                  .unique_words = top.different(),
                  .average_length = average(total_length_, total_words_),
                  .top = top.take()};
}

}  // namespace tavola::text_analyzer
