// tavola repair: all that can be read of a damaged data directory, in a new one.
//
// The bytes are salvaged by store/salvage/salvage.h. Here what follows from the items is made anew: index entries, counts and
// expiries may be lost where their items are not, and the other way round.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "store/salvage/salvage.h"

namespace tavola::engine {

struct RepairedTable {
  std::string name;
  std::uint64_t items = 0;
  std::optional<std::uint64_t> counted{};  // how many it had by its own count; nothing when that is lost
};

struct RepairReport {
  std::vector<store::FileProblem> problems{};
  std::vector<RepairedTable> tables{};
  std::vector<std::string> lost_tables{};  // whose definition cannot be read
  std::uint64_t stray_items = 0;           // of tables whose definition is gone: nobody knows their names

  bool is_complete() const;
};

// What is done, and how far it is.
using RepairWatch = std::function<void(std::string_view doing, std::uint64_t done, std::uint64_t expected)>;

// Fails with Locked when somebody has `from` open, and with Io when `to` exists. Nothing in `from` is changed; `to` is
// there when all is done, or not at all.
Result<RepairReport> repair(const std::filesystem::path& from, const std::filesystem::path& to,
                            const RepairWatch& watch);

}  // namespace tavola::engine
