// The words of a text: how many, how many different ones, how long, and which are the most frequent.
//
//   Analyzer analyzer;
//   while (…) TAVOLA_CHECK(analyzer.add(piece));     // bytes of the file, in pieces of any size
//   TAVOLA_TRY(const Analysis analysis, analyzer.finish());
//
// A word is a run of Unicode letters, in small letters: "Don't stop: e-mail 3rd" has six, don t stop e mail rd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/number.h>

#include "systems/text-analyzer/analysis/utf8_pieces.h"
#include "systems/text-analyzer/analysis/word_runs.h"
#include "systems/text-analyzer/analysis/word_table.h"

namespace tavola::text_analyzer {

struct FrequentWord {
  std::string word;
  std::uint64_t count = 0;
};

struct Analysis {
  std::uint64_t total_words = 0;
  std::uint64_t unique_words = 0;
  Number average_length;  // in units of UTF-16, rounded to two digits, halves up; 0 without words
  std::vector<FrequentWord>
      top;  // at most ten, the most frequent first, equally frequent ones as in a dictionary
};

// Memory: `table_bytes`, and about as much again while the table grows or is written to disk. Thread safety: none.
class Analyzer {
 public:
  static constexpr std::size_t kTableBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kWordBytesMax = std::size_t{64} << 10U;

  explicit Analyzer(std::size_t table_bytes = kTableBytes);

  // Fails with Validation and a message for people if the file is not text, or has a word longer than kWordBytesMax; with Io
  // if the temporary files of a text with very many different words cannot be written.
  Result<void> add(std::string_view bytes);
  Result<Analysis> finish();

 private:
  Result<void> split(std::string_view text);
  Result<std::size_t> take_letters(std::string_view text, std::size_t at);
  Result<void> end_word();

  std::size_t table_bytes_;
  Utf8Pieces pieces_;
  std::string word_;      // the letters of a word whose end is not seen yet
  bool is_ascii_ = true;  // of word_
  std::uint64_t total_words_ = 0;
  std::uint64_t total_length_ = 0;  // in units of UTF-16
  WordTable table_;
  WordRuns runs_;
};

}  // namespace tavola::text_analyzer
