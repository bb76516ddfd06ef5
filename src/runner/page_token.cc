#include "runner/page_token.h"

#include <charconv>
#include <memory>

#include "base/seal.h"
#include "design/model/arguments.h"

namespace tavola::runner {
namespace {

Error no_token() {
  return {ErrorCode::Validation,
          "page is not a token of an earlier page of the same question; leave it out to start again",
          std::make_shared<design::BadParameter>("page")};
}

}  // namespace

// token: the part's number, ':' and the last key, packed (empty at the start of a part); sealed
std::string to_token(const PagePlace& place, std::string_view secret, std::string_view context) {
  return seal(secret, std::to_string(place.part) + ":" + (place.after ? place.after->bytes() : ""), context);
}

Result<PagePlace> from_token(std::string_view token, std::string_view secret, std::string_view context) {
  const std::optional<std::string> text = unseal(secret, token, context);
  if (!text) return fail(no_token());
  const std::size_t colon = text->find(':');
  PagePlace place;
  // The seal proves that we wrote it, so the following fails only if the format of tokens changes.
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
