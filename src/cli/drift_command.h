// `tavola design drift`: where a table is not as its design says.
#pragma once

#include <cstdint>
#include <string>

#include "cli/design_commands.h"

namespace tavola::cli {

struct DriftOptions {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string table{};
  bool repair = false;
  std::size_t samples = 5;
  std::string format = "text";  // or json
  std::string clock{};
};

// Exit code 0: there is no drift, or all of it was mended; 1: there is some; 2: it could not be looked for.
Output run(const DriftOptions& options);

}  // namespace tavola::cli
