// `tavola run`: one pattern or operation of a design, on a data directory or on an endpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/design_commands.h"

namespace tavola::cli {

struct RunOptions {
  std::string file{};
  std::string name{};                    // of a pattern or an operation
  std::vector<std::string> arguments{};  // k=v
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string table{};
  std::optional<std::int64_t> limit{};
  std::string page{};
  std::string format = "table";  // or json
  std::string clock{};
};

Output run(const RunOptions& options);

}  // namespace tavola::cli
