// Any text is an unsigned token, and any text is a JWKS with valid keys or with none. A token of our own is read back.
#include <cstdint>
#include <string>
#include <string_view>

#include "access/identity/token.h"
#include "base/assert.h"
#include "base/digest.h"
#include "base/encoding.h"

namespace {

using namespace tavola;
using namespace tavola::access;

constexpr std::string_view kSecret = "32 bytes or more, which is enough";
const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 1 / 15);

const TokenVerifier& verifier() {
  static const TokenVerifier verifier = *TokenVerifier::make({.secret = std::string(kSecret)});
  return verifier;
}

// With a valid signature, any payload is read.
void verify_signed(std::string_view payload) {
  const std::string text = to_base64url(R"({"alg":"HS256"})") + "." + to_base64url(payload);
  const auto who = verifier().verify(text + "." + to_base64url(hmac_sha256(kSecret, text)), kNow);
  TAVOLA_ASSERT(who ? who->is_somebody() : who.error().code() == ErrorCode::InvalidSignature);
}

void sign(std::string_view text) {
  if (text.empty()) return;
  // Names are written as JSON, which is UTF-8.
  const std::string name = to_hex(text);
  const NewToken token{.sub = name, .groups = {name}, .issued = kNow, .valid_for = std::chrono::hours(1)};
  const auto who = verifier().verify(sign_token(kSecret, token), kNow);
  TAVOLA_ASSERT(who && who->sub == name && who->groups.front() == name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TAVOLA_ASSERT(!verifier().verify(bytes, kNow));
  verify_signed(bytes);
  sign(bytes);
  if (const auto keys = read_jwks(bytes)) TAVOLA_ASSERT(!keys->front().verifies("text", bytes));
  return 0;
}
