// tavola-text-analyzer: uploaded texts and their words.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "systems/text-analyzer/analysis/analysis.h"

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;

constexpr std::string_view kHelp = R"(tavola-text-analyzer: the words of texts

  tavola-text-analyzer count FILE…    prints the words of each file as a line of JSON; "-" is standard input
  tavola-text-analyzer --help         this text

A word is a run of Unicode letters, in small letters. A file is UTF-8, or UTF-16 with a byte order mark, of any size.

  tavola-text-analyzer count letter.txt
  curl -s http://127.0.0.1:8080/book.txt | tavola-text-analyzer count -
)";

int failed(std::string_view message) {
  std::fprintf(stderr, "tavola-text-analyzer: %.*s\n", static_cast<int>(message.size()), message.data());
  return 1;
}

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Result<Analysis> analyse(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return fail(Error(ErrorCode::Io, std::string("cannot be opened: ") + std::strerror(errno)));
  Analyzer analyzer;
  std::array<char, kPieceBytes> piece;
  while (const std::size_t read = std::fread(piece.data(), 1, piece.size(), file.get())) {
    TAVOLA_CHECK(analyzer.add({piece.data(), read}));
  }
  if (std::ferror(file.get()) != 0) {
    return fail(Error(ErrorCode::Io, std::string("cannot be read: ") + std::strerror(errno)));
  }
  return analyzer.finish();
}

// {"file":"letter.txt","totalWords":9,…}: the members of `result` in the design, and the name of the file.
std::string line_of(const std::string& file, const Analysis& analysis) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("file").text(file);
  json.name("totalWords").raw() += std::to_string(analysis.total_words);
  json.name("uniqueWords").raw() += std::to_string(analysis.unique_words);
  json.name("avgWordLength").raw() += analysis.average_length.to_string();
  json.name("top10Words").begin_list();
  for (const FrequentWord& word : analysis.top) {
    json.begin_object();
    json.name("word").text(word.word);
    json.name("count").raw() += std::to_string(word.count);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return out;
}

int count(const std::vector<std::string>& files) {
  if (files.empty()) return failed("count needs a file, or - for standard input");
  int code = 0;
  for (const std::string& file : files) {
    if (const auto analysis = analyse(file)) {
      std::puts(line_of(file, *analysis).c_str());
    } else {
      code = failed(file + ": " + analysis.error().message());
    }
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return failed(std::string("the result cannot be written: ") + std::strerror(errno));
  }
  return code;
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words.front() == "--help" || words.front() == "help") {
    std::fwrite(kHelp.data(), 1, kHelp.size(), words.empty() ? stderr : stdout);
    return words.empty() ? 1 : 0;
  }
  if (words.front() != "count") return failed("there is no command " + words.front() + "; --help lists them");
  return count({words.begin() + 1, words.end()});
}

}  // namespace
}  // namespace tavola::text_analyzer

int main(int count, char** arguments) {
  return tavola::text_analyzer::run(std::vector<std::string>(arguments + 1, arguments + count));
}
