// `tavola copy FROM TO`: tables from one database to another (docs/FILES.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/design_commands.h"

namespace tavola::cli {

struct CopyOptions {
  std::string from{};  // a data directory, a URL, aws:REGION
  std::string to{};
  std::vector<std::string> tables{};
  bool all = false;
  std::size_t parallel = 4;
  std::string state{};  // a file; empty: one in the working directory, named by both sides
  bool overwrite = false;
  bool eventual_reads = false;
  bool verify = false;
  bool verify_only = false;
  bool dry_run = false;
};

// Exit code 1 also when the tables differ, 3 when items were refused.
Output run(const CopyOptions& options);

}  // namespace tavola::cli
