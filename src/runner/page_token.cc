#include "runner/page_token.h"

#include <charconv>
#include <memory>

#include "base/seal.h"
#include "design/model/arguments.h"

namespace tavola::runner {
namespace {

Error no_token() {
  return {ErrorCode::Validation,
          "page is no token that an earlier page of the same question gave; leave it out to begin anew",
          std::make_shared<design::BadParameter>("page")};
}

}  // namespace

// token: the part's number, ':' and the last key, packed (nothing at a part's beginning); sealed
std::string to_token(const PagePlace& place, std::string_view secret, std::string_view context) {
  return seal(secret, std::to_string(place.part) + ":" + (place.after ? place.after->bytes() : ""), context);
}

Result<PagePlace> from_token(std::string_view token, std::string_view secret, std::string_view context) {
  const std::optional<std::string> text = unseal(secret, token, context);
  if (!text) return fail(no_token());
  const std::size_t colon = text->find(':');
  PagePlace place;
  // Whoever has the secret wrote it; so what follows can fail only when the form of tokens changes.
  if (colon == std::string::npos ||
      std::from_chars(text->data(), text->data() + colon, place.part).ec != std::errc()) {
    return fail(no_token());
  }
  const std::string_view rest = std::string_view(*text).substr(colon + 1);
  if (!rest.empty()) {
    if (!check_packed(rest)) return fail(no_token());
    place.after = PackedItem(std::string(rest));
  }
  return place;
}

}  // namespace tavola::runner
