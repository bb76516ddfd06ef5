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
#include "design/model/model.h"

namespace tavola::cli {

// Of `tavola serve`: files, and what tokens must say.
struct TokenSources {
  std::string secret_file{};
  std::string jwks_file{};
  std::string issuer{};
  std::string audience{};

  bool are_given() const { return !secret_file.empty() || !jwks_file.empty(); }
};

// The secret in a file, without the end of its line. Fails when it is too short to be one.
Result<std::string> read_secret(const std::string& file);

// Nothing when no file is given. Fails when one cannot be read or holds nothing to verify with.
Result<std::optional<api::TokenVerifier>> token_verifier(const TokenSources& sources);

// How the server knows people.
struct Logins {
  bool by_token = false;
  bool by_key = false;  // --credentials: keys may stand for persons
};
// Warns in the log where roles and logins do not go together.
void tell_about_roles(std::span<const design::Design> designs, const Logins& logins, Log& log);

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
