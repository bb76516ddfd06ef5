#include "cli/tokens.h"

#include <algorithm>

#include "design/language/language.h"
#include "store/files.h"

namespace tavola::cli {
namespace {

Result<std::vector<api::PublicKey>> read_keys(const std::string& file) {
  TAVOLA_TRY(const std::string text, store::read_file(file));
  Result<std::vector<api::PublicKey>> keys = api::read_jwks(text);
  if (!keys) return fail(Error::validation(file + ": " + keys.error().message()));
  return keys;
}

Result<std::string> token_of(const TokenOptions& options) {
  const auto lifetime = design::parse_duration(options.expires);
  if (!lifetime || *lifetime < std::chrono::seconds(1)) {
    return fail(
        Error::validation("--expires must be a time like 30m, 1h or 7d (was " + options.expires + ")"));
  }
  if (options.sub.empty()) return fail(Error::validation("--sub must not be empty"));
  TAVOLA_TRY(const std::string secret, read_secret(options.secret_file));
  return api::sign_token(secret, {.sub = options.sub,
                                  .groups = options.groups,
                                  .issuer = options.issuer,
                                  .audience = options.audience,
                                  .issued = Clock::system().now(),
                                  .valid_for = std::chrono::floor<std::chrono::seconds>(*lifetime)});
}

}  // namespace

Result<std::string> read_secret(const std::string& file) {
  TAVOLA_TRY(std::string secret, store::read_file(file));
  secret.erase(secret.find_last_not_of("\r\n") + 1);
  if (secret.size() < api::kSecretBytesMin) {
    return fail(Error::validation(file + " must contain a secret of at least 32 bytes (has " +
                                  std::to_string(secret.size()) +
                                  "); make one with: openssl rand -hex 32 > " + file));
  }
  return secret;
}

Result<std::optional<api::TokenVerifier>> token_verifier(const TokenSources& sources) {
  if (sources.secret_file.empty() && sources.jwks_file.empty()) return std::nullopt;
  api::TokenVerifier::Parts parts{.issuer = sources.issuer, .audience = sources.audience};
  if (!sources.secret_file.empty()) {
    TAVOLA_TRY(parts.secret, read_secret(sources.secret_file));
  }
  if (!sources.jwks_file.empty()) {
    TAVOLA_TRY(parts.keys, read_keys(sources.jwks_file));
  }
  TAVOLA_TRY(api::TokenVerifier verifier, api::TokenVerifier::make(std::move(parts)));
  return verifier;
}

void tell_about_roles(std::span<const design::Design> designs, const Logins& logins, Log& log) {
  const auto has_roles = [](const design::Design& design) { return !design.roles.empty(); };
  if (logins.by_token && std::ranges::none_of(designs, has_roles)) {
    log.warning("tokens are configured, but no served design has roles; tokens are not required");
  }
  if (logins.by_token || logins.by_key) return;
  for (const design::Design& design : designs) {
    if (!has_roles(design)) continue;
    log.warning(
        "the design has roles, and nobody can log in: /v1 allows only what everybody may do. "
        "--jwt-secret-file or --jwks verifies tokens, `tavola token` makes them for development, and keys in "
        "--credentials may have sub=",
        {{"design", design.name}});
  }
}

Output run(const TokenOptions& options) {
  const Result<std::string> token = token_of(options);
  if (!token) return {.told = "tavola: " + token.error().message() + "\n", .exit_code = kFailed};
  return {.out = *token + "\n"};
}

}  // namespace tavola::cli
