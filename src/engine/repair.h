// tavola repair: recovers the readable data of a damaged data directory into a new one.
//
// store/salvage/salvage.h salvages the bytes. Derived data is made anew from the items: index entries, counts and
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
  std::optional<std::uint64_t> counted{};  // its own count before; nullopt if that is lost
};

struct RepairReport {
  std::vector<store::FileProblem> problems{};
  std::vector<RepairedTable> tables{};
  std::vector<std::string> lost_tables{};  // whose definition cannot be read
  std::uint64_t stray_items = 0;           // of tables whose definition is lost, and with it their names

  bool is_complete() const;
};

// The current step, and its progress.
using RepairWatch = std::function<void(std::string_view doing, std::uint64_t done, std::uint64_t expected)>;

// Fails with Locked if `from` is open elsewhere, and with Io if `to` exists. `from` is not changed; `to` is created
// completely or not at all.
Result<RepairReport> repair(const std::filesystem::path& from, const std::filesystem::path& to,
                            const RepairWatch& watch);

}  // namespace tavola::engine
