// Sorted lists of words on disk, for texts with more different words than memory has room for.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "systems/text-analyzer/analysis/word_table.h"

namespace tavola::text_analyzer {

// Thread safety: none. The files have no name: they disappear with the object, also when the process is killed. Every 64 files of a
// level are merged into one of the next, so that few are open.
class WordRuns {
 public:
  // Writes words, in the order of their bytes, to a new temporary file. Fails with Io.
  Result<void> add(std::span<const WordCount> words);
  bool empty() const { return levels_.empty(); }

  using Take = std::function<Result<void>(const WordCount& word)>;
  // Calls `take` for each different word, in the order of their bytes, with the sum of its counts. Fails with Io, or as `take` does.
  // May be called once.
  Result<void> merge(const Take& take);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  static Result<File> create();
  static Result<void> write(std::FILE* file, const WordCount& word);
  static Result<void> finish(std::FILE* file);
  static Result<void> merge_files(std::span<const File> files, const Take& take);
  Result<void> keep(File file, std::size_t level);

  std::vector<std::vector<File>> levels_;
};

}  // namespace tavola::text_analyzer
