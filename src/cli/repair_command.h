// `tavola repair DIR --to NEW`: what can be read of a damaged data directory, in a new one (docs/REPAIR.md).
#pragma once

#include <string>

#include "cli/design_commands.h"

namespace tavola::cli {

struct RepairOptions {
  std::string from{};
  std::string to{};
};

// Exit code 3 when something is missing.
Output run(const RepairOptions& options);

}  // namespace tavola::cli
