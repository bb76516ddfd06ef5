#include "systems/text-analyzer/count_command.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "json/writer.h"
#include "systems/text-analyzer/analysis/analysis.h"

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;

int failed(const std::string& message) {
  std::fprintf(stderr, "tavola-text-analyzer: %s\n", message.c_str());
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

}  // namespace

int count(const std::vector<std::string>& files) {
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

}  // namespace tavola::text_analyzer
