#include "access/identity/token_sources.h"

#include <utility>
#include <vector>

#include "base/files.h"

namespace tavola::access {
namespace {

Result<std::vector<PublicKey>> read_keys(const std::string& file) {
  TAVOLA_TRY(const std::string text, read_file(file));
  Result<std::vector<PublicKey>> keys = read_jwks(text);
  if (!keys) return fail(Error::validation(file + ": " + keys.error().message()));
  return keys;
}

}  // namespace

Result<std::string> read_secret(const std::string& file) {
  TAVOLA_TRY(std::string secret, read_file(file));
  secret.erase(secret.find_last_not_of("\r\n") + 1);
  if (secret.size() < kSecretBytesMin) {
    return fail(Error::validation(file + " must hold a secret of 32 bytes at least (has " +
                                  std::to_string(secret.size()) +
                                  "); make one with: openssl rand -hex 32 > " + file));
  }
  return secret;
}

Result<std::optional<TokenVerifier>> token_verifier(const TokenSources& sources) {
  if (sources.secret_file.empty() && sources.jwks_file.empty()) return std::nullopt;
  TokenVerifier::Parts parts{.issuer = sources.issuer, .audience = sources.audience};
  if (!sources.secret_file.empty()) {
    TAVOLA_TRY(parts.secret, read_secret(sources.secret_file));
  }
  if (!sources.jwks_file.empty()) {
    TAVOLA_TRY(parts.keys, read_keys(sources.jwks_file));
  }
  TAVOLA_TRY(TokenVerifier verifier, TokenVerifier::make(std::move(parts)));
  return verifier;
}

}  // namespace tavola::access
