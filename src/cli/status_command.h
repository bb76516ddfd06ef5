// `tavola design status`: how a design is kept on its table, and changing how strictly.
#pragma once

#include <string>

#include "cli/design_commands.h"

namespace tavola::cli {

struct StatusOptions {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string table{};
  std::string enforce{};        // strict, warn or off: from now on
  std::string format = "text";  // or json
};

Output run(const StatusOptions& options);

}  // namespace tavola::cli
