// Tokens on the command line: what `tavola serve` verifies them with, and `tavola token`, the issuer for development.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "api/token.h"
#include "cli/design_commands.h"
#include "cli/log.h"
#include "design/model.h"

namespace tavola::cli {

// Of `tavola serve`: files, and what tokens must say.
struct TokenSources {
  std::string secret_file{};
  std::string jwks_file{};
  std::string issuer{};
  std::string audience{};
};

// Nothing when no file is given. Fails when one cannot be read or holds nothing to verify with.
Result<std::optional<api::TokenVerifier>> token_verifier(const TokenSources& sources);

// Tells, for the log, where roles and tokens do not go together.
void tell_about_roles(std::span<const design::Design> designs, bool verifies_tokens, Log& log);

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
