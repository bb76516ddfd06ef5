#include "partiql/page_token.h"

#include <charconv>

#include "base/digest.h"
#include "base/seal.h"
#include "partiql/messages.h"

namespace tavola::partiql {
namespace {

// A token is sealed so that clients do not rely on its contents; it protects nothing. A forged one can only choose
// where a page starts, which Query and Scan allow anyway, and check. So the key is not a secret, and a token is valid
// on every server.
std::string sealing_key() { return sha256({"tavola: pages of PartiQL"}); }
constexpr std::string_view kContext = "partiql";
constexpr std::size_t kFingerprintBytes = 32;

}  // namespace

// token: the fingerprint, the read's number, ':' and the last key, packed (empty at the start of a read); sealed
std::string to_token(const PagePlace& place, std::string_view fingerprint) {
  std::string text(fingerprint);
  text += std::to_string(place.read) + ":";
  if (place.after) text += place.after->bytes();
  return seal(sealing_key(), text, kContext);
}

Result<PagePlace> from_token(std::string_view token, std::string_view fingerprint) {
  const std::optional<std::string> text = unseal(sealing_key(), token, kContext);
  if (!text || text->size() < kFingerprintBytes) return fail(messages::invalid_token());
  if (text->substr(0, kFingerprintBytes) != fingerprint) return fail(messages::token_of_another_request());
  const std::string_view rest = std::string_view(*text).substr(kFingerprintBytes);
  const std::size_t colon = rest.find(':');
  const std::string_view number = rest.substr(0, colon);
  PagePlace place;
  if (colon == std::string_view::npos ||
      std::from_chars(number.data(), number.data() + number.size(), place.read).ec != std::errc()) {
    return fail(messages::invalid_token());
  }
  const std::string_view key = rest.substr(colon + 1);
  if (key.empty()) return place;
  if (!check_packed(key)) return fail(messages::invalid_token());
  place.after = PackedItem(std::string(key));
  return place;
}

}  // namespace tavola::partiql
