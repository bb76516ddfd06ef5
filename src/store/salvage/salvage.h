// Recovers the readable data of a damaged store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

// A fault of a file, e.g. {"000012.sst", "3 blocks of it are damaged (24 KB)"}.
struct FileProblem {
  std::string file;
  std::string what;
  bool is_loss = true;  // false if all its data could be read
};

struct SalvageRequest {
  const std::filesystem::path& from;  // a store that is not open; not changed
  const std::filesystem::path& work;  // must not exist; shares its intact data files with `from` (hard links)
  std::function<void(std::uint64_t bytes, std::uint64_t of)> watch{};  // progress
};

// Makes a store in `work` from all readable data files and logs. It can be opened, and a cursor shows for each key the
// newest readable value; get() may show an older one. Deletions that could not be read are not applied. Returns the
// faults of the files, in the order of their names; empty if all could be read.
Result<std::vector<FileProblem>> salvage(const SalvageRequest& request);

}  // namespace tavola::store
