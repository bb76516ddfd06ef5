#include "systems/text-analyzer/analysis/word_runs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <queue>
#include <string>

namespace tavola::text_analyzer {
namespace {

Error failed_file(std::string_view what) {
  return Error(ErrorCode::Io,
               "A temporary file could not be " + std::string(what) + ": " + std::strerror(errno));
}

constexpr std::size_t kFilesPerLevel = 64;

// The next word of one file, whose entries are the count, the length and the word.
struct Cursor {
  std::FILE* file;
  std::string word{};
  std::uint64_t count = 0;

  // Returns false at the end of the file. Fails with Io.
  Result<bool> next() {
    if (std::fread(&count, sizeof count, 1, file) != 1) {
      if (std::ferror(file) != 0) return fail(failed_file("read"));
      return false;
    }
    std::uint32_t length = 0;
    if (std::fread(&length, sizeof length, 1, file) != 1) return fail(failed_file("read"));
    word.resize(length);
    if (std::fread(word.data(), 1, length, file) != length) return fail(failed_file("read"));
    return true;
  }
};

bool comes_later(const Cursor* a, const Cursor* b) { return a->word > b->word; }

}  // namespace

Result<WordRuns::File> WordRuns::create() {
  File file(std::tmpfile());
  if (!file) return fail(failed_file("created"));
  return file;
}

Result<void> WordRuns::write(std::FILE* file, const WordCount& word) {
  const auto length = static_cast<std::uint32_t>(word.word.size());
  const bool is_written = std::fwrite(&word.count, sizeof word.count, 1, file) == 1 &&
                          std::fwrite(&length, sizeof length, 1, file) == 1 &&
                          std::fwrite(word.word.data(), 1, length, file) == length;
  if (!is_written) return fail(failed_file("written"));
  return {};
}

Result<void> WordRuns::finish(std::FILE* file) {
  if (std::fflush(file) != 0) return fail(failed_file("written"));
  std::rewind(file);
  return {};
}

Result<void> WordRuns::add(std::span<const WordCount> words) {
  TAVOLA_TRY(File file, create());
  for (const WordCount& word : words) TAVOLA_CHECK(write(file.get(), word));
  TAVOLA_CHECK(finish(file.get()));
  return keep(std::move(file), 0);
}

Result<void> WordRuns::keep(File file, std::size_t level) {
  if (level == levels_.size()) levels_.emplace_back();
  levels_[level].push_back(std::move(file));
  if (levels_[level].size() < kFilesPerLevel) return {};
  TAVOLA_TRY(File merged, create());
  TAVOLA_CHECK(merge_files(levels_[level], [&](const WordCount& word) { return write(merged.get(), word); }));
  TAVOLA_CHECK(finish(merged.get()));
  levels_[level].clear();
  return keep(std::move(merged), level + 1);
}

Result<void> WordRuns::merge(const Take& take) {
  std::vector<File> all;
  for (std::vector<File>& level : levels_) std::ranges::move(level, std::back_inserter(all));
  levels_.clear();
  return merge_files(all, take);
}

Result<void> WordRuns::merge_files(std::span<const File> files, const Take& take) {
  std::vector<Cursor> cursors;
  cursors.reserve(files.size());
  std::priority_queue<Cursor*, std::vector<Cursor*>, decltype(&comes_later)> waiting(&comes_later);
  for (const File& file : files) {
    Cursor& cursor = cursors.emplace_back(file.get());
    TAVOLA_TRY(const bool has_word, cursor.next());
    if (has_word) waiting.push(&cursor);
  }
  std::string word;
  std::uint64_t count = 0;
  while (!waiting.empty()) {
    Cursor* const first = waiting.top();
    waiting.pop();
    if (count != 0 && first->word != word) {
      TAVOLA_CHECK(take({word, count}));
      count = 0;
    }
    word = first->word;
    count += first->count;
    TAVOLA_TRY(const bool has_word, first->next());
    if (has_word) waiting.push(first);
  }
  if (count != 0) TAVOLA_CHECK(take({word, count}));
  return {};
}

}  // namespace tavola::text_analyzer
