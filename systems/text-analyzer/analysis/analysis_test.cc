#include "systems/text-analyzer/analysis/analysis.h"

#include <random>
#include <unordered_map>

#include <gtest/gtest.h>

namespace tavola::text_analyzer {
namespace {

using namespace std::string_literals;

Result<Analysis> analyse(std::string_view bytes, std::size_t piece,
                         std::size_t table_bytes = Analyzer::kTableBytes) {
  Analyzer analyzer(table_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    TAVOLA_CHECK(analyzer.add(bytes.substr(at, piece)));
  return analyzer.finish();
}

std::string shown(const Result<Analysis>& analysis) {
  if (!analysis) return analysis.error().message();
  std::string text = std::to_string(analysis->total_words) + " " + std::to_string(analysis->unique_words) +
                     " " + analysis->average_length.to_string();
  for (const FrequentWord& word : analysis->top) text += " " + word.word + ":" + std::to_string(word.count);
  return text;
}

struct Case {
  std::string bytes;
  std::string_view expected;
};

// The first three are those of the requirements.
const Case kCases[] = {
    {"Don't stop: e-mail 3rd naïve café Café", "9 8 3.11 café:2 don:1 e:1 mail:1 naïve:1 rd:1 stop:1 t:1"},
    {"𝒜b 東京 東京", "3 2 2.33 東京:2 𝒜b:1"},
    {"", "0 0 0"},
    {" \n\t 12 34 ", "0 0 0"},
    {"a", "1 1 1 a:1"},
    {"\xEF\xBB\xBF"
     "a B",
     "2 2 1 a:1 b:1"},
    {"\xFF\xFE"
     "a\0 \0\xE4\0"s,
     "2 2 1 a:1 ä:1"},
    {"\xFE\xFF\0a\0 \0\xE4"s, "2 2 1 a:1 ä:1"},
    {"\xFE\xFF\xD8\x35\xDC\x9C"s, "1 1 2 𝒜:1"},
    {"\xFF\xFE"s, "0 0 0"},
    {"zebra Äpfel Apfel", "3 3 5 apfel:1 äpfel:1 zebra:1"},
    {"ΟΔΟΣ Οδός", "2 2 4 οδος:1 οδός:1"},
    {"l k j i h g f e d c b a", "12 12 1 a:1 b:1 c:1 d:1 e:1 f:1 g:1 h:1 i:1 j:1"},
    {"a bb", "2 2 1.5 a:1 bb:1"},
    {"ok \xC3",
     "The file is not text: byte 4 is not valid UTF-8. Save it as UTF-8, or as UTF-16 with a byte order "
     "mark, and upload it "
     "again."},
    {"a\xFFz",
     "The file is not text: byte 2 is not valid UTF-8. Save it as UTF-8, or as UTF-16 with a byte order "
     "mark, and upload it "
     "again."},
    {"\xFE\xFF\xD8\x35\0a"s,
     "The file is not text: byte 3 is half of a character of UTF-16. Save it as UTF-8, or as UTF-16 with a "
     "byte "
     "order mark, and upload it again."},
    {"\xFF\xFE"
     "a"s,
     "The file is not text: byte 3 is half of a character of UTF-16. Save it as UTF-8, or as UTF-16 with a "
     "byte order "
     "mark, and upload it again."},
};

TEST(Analysis, IsTheSameHoweverTheFileArrives) {
  for (const Case& each : kCases) {
    for (const std::size_t piece : {1U, 2U, 3U, 5U, 1000U}) {
      EXPECT_EQ(shown(analyse(each.bytes, piece)), each.expected) << each.bytes << " in pieces of " << piece;
    }
  }
}

TEST(Analysis, WordsBeyondTheMemoryAreCountedOnDisk) {
  std::mt19937 random(7);
  std::string text;
  std::unordered_map<std::string, std::uint64_t> expected;
  for (int number = 0; number < 200'000; ++number) {
    std::string word;
    for (std::uint32_t rest = random() % 40'000; word.empty() || rest != 0; rest /= 26)
      word += static_cast<char>('a' + rest % 26);
    text += word + ' ';
    ++expected[word];
  }
  // 64 KB hold about a thousand words, so that there are two levels of files.
  const auto small = analyse(text, 4096, std::size_t{64} << 10U);
  const auto large = analyse(text, 4096);
  ASSERT_TRUE(small) << small.error().message();
  EXPECT_EQ(small->unique_words, expected.size());
  EXPECT_EQ(shown(small), shown(large));
  for (const FrequentWord& word : small->top) EXPECT_EQ(word.count, expected[word.word]);
}

TEST(Analysis, AWordWithoutEndIsNoText) {
  EXPECT_EQ(shown(analyse(std::string(100'000, 'a'), 1000)),
            "The file has a word of more than 65536 bytes, so it is probably not text.");
}

}  // namespace
}  // namespace tavola::text_analyzer
