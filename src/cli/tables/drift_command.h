// `tavola design drift`: reports where a table differs from its design.
#pragma once

#include <cstdint>
#include <string>

#include "cli/output/command_output.h"

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

// Exit code 0: there is no drift, or all of it was repaired; 1: there is drift; 2: the table could not be examined.
Output run(const DriftOptions& options);

}  // namespace tavola::cli
