// What can be read of a damaged store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

// Something that is wrong with a file, e.g. {"000012.sst", "3 blocks of it are damaged (24 KB)"}.
struct FileProblem {
  std::string file;
  std::string what;
  bool is_loss = true;  // false when all its data could be read
};

struct SalvageRequest {
  const std::filesystem::path& from;  // a store that nobody has open; nothing in it is changed
  const std::filesystem::path& work;  // must not exist; shares its whole data files with `from` (hard links)
  std::function<void(std::uint64_t bytes, std::uint64_t of)> watch{};  // how much was looked at
};

// Makes a store in `work` of all that can be read of the data files and logs. It can be opened, and a cursor shows for
// each key the newest value that could be read; get() may show an older one. Deletions that could not be read are not
// done. Returns what is wrong with the files, in the order of their names; none when all could be read.
Result<std::vector<FileProblem>> salvage(const SalvageRequest& request);

}  // namespace tavola::store
