// `tavola design apply`: a table gets a new or changed design.
#pragma once

#include <cstdint>
#include <string>

#include "cli/output/command_output.h"

namespace tavola::cli {

struct ApplyOptions {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string table{};
  bool yes = false;      // do not ask
  bool dry_run = false;  // only the plan
  bool no_scan = false;  // a plan without the items
  bool delete_indexes = false;
  std::size_t samples = 3;
  std::string format = "text";  // or json
  std::string clock{};
};

// Exit code 0: the table has the design and every item follows it; 1: it has the design, and some items cannot follow it; 2: it
// was not applied, or not completely; 3: nobody confirmed it. Dry run: 0, or 1 if something breaks or items cannot follow.
Output run(const ApplyOptions& options);

}  // namespace tavola::cli
