// `tavola token`: the issuer of tokens for development.
#pragma once

#include <string>
#include <vector>

#include "cli/design_commands.h"

namespace tavola::cli {

struct TokenOptions {
  std::string sub{};
  std::vector<std::string> groups{};
  std::string expires = "1h";
  std::string secret_file{};
  std::string issuer{};
  std::string audience{};
};

Output run(const TokenOptions& options);

}  // namespace tavola::cli
