// `tavola design policy`: the resource policy that lets nobody but the fronts of a table write to it (docs/SCALE.md).
#pragma once

#include <string>

#include "cli/output/command_output.h"

namespace tavola::cli {

struct PolicyOptions {
  std::string file{};
  std::string role{};    // ARN of the role of the fronts
  std::string region{};  // of the table
  std::string table{};
};

Output run(const PolicyOptions& options);

}  // namespace tavola::cli
