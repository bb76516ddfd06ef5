#include "cli/token_command.h"

#include <chrono>

#include <tavola/error.h>

#include "access/identity/token.h"
#include "access/identity/token_sources.h"
#include "base/clock.h"
#include "design/language/language.h"

namespace tavola::cli {
namespace {

Result<std::string> token_of(const TokenOptions& options) {
  const auto lifetime = design::parse_duration(options.expires);
  if (!lifetime || *lifetime < std::chrono::seconds(1)) {
    return fail(
        Error::validation("--expires must be a time like 30m, 1h or 7d (was " + options.expires + ")"));
  }
  if (options.sub.empty()) return fail(Error::validation("--sub must name somebody"));
  TAVOLA_TRY(const std::string secret, access::read_secret(options.secret_file));
  return access::sign_token(secret, {.sub = options.sub,
                                     .groups = options.groups,
                                     .issuer = options.issuer,
                                     .audience = options.audience,
                                     .issued = Clock::system().now(),
                                     .valid_for = std::chrono::floor<std::chrono::seconds>(*lifetime)});
}

}  // namespace

Output run(const TokenOptions& options) {
  const Result<std::string> token = token_of(options);
  if (!token) return {.err = "tavola: " + token.error().message() + "\n", .exit_code = kFailed};
  return {.out = *token + "\n"};
}

}  // namespace tavola::cli
