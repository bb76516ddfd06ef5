// `tavola design adopt`: a design takes over a table that has items.
#pragma once

#include <cstdint>
#include <string>

#include "cli/output/command_output.h"

namespace tavola::cli {

struct AdoptOptions {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string table{};
  bool dry_run = false;
  std::size_t samples = 20;
  std::string format = "text";  // or json
  std::string clock{};
};

// Exit code 0: every item follows the design; 1: some items cannot; 2: the table was not taken over.
Output run(const AdoptOptions& options);

}  // namespace tavola::cli
