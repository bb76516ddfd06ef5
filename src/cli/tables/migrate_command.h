// `tavola migrate`: moves a table to the next revision of its design (docs/MIGRATE.md).
#pragma once

#include <string>

#include "cli/output/command_output.h"

namespace tavola::cli {

struct MigrateOptions {
  std::string file{};
  std::string action = "start";  // status, verify, finish, abort
  std::string from{};
  std::string old_design{};
  std::string old_table{};
  std::string new_table{};
  std::string data = "tavola-data";
  std::string endpoint{};       // instead of the directory
  std::string format = "text";  // or json
};

// Waits until everything is copied or compared. Exit code 1 also if items could not be copied, or differ.
Output run(const MigrateOptions& options);

}  // namespace tavola::cli
