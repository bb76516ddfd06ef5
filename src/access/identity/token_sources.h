// The sources with which a server verifies tokens: a secret or the public keys of an issuer, each in a file.
#pragma once

#include <optional>
#include <string>

#include <tavola/error.h>

#include "access/identity/token.h"

namespace tavola::access {

// The files, and the issuer and audience that tokens must name (empty: any).
struct TokenSources {
  std::string secret_file{};
  std::string jwks_file{};
  std::string issuer{};
  std::string audience{};

  bool are_given() const { return !secret_file.empty() || !jwks_file.empty(); }
};

// The secret in a file, without the end of its line. Fails when it is too short to be one.
Result<std::string> read_secret(const std::string& file);

// Returns nullopt if no file is given. Fails if a file cannot be read or holds no key.
Result<std::optional<TokenVerifier>> token_verifier(const TokenSources& sources);

}  // namespace tavola::access
