// The position where a page ended, as a token that only this server can read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/packed.h>

namespace tavola::runner {

struct PagePlace {
  std::size_t part = 0;             // of a union
  std::optional<PackedItem> after;  // the last key evaluated; nullopt: the start of the part
};

// `context` is the question: the token of another question is refused.
std::string to_token(const PagePlace& place, std::string_view secret, std::string_view context);
Result<PagePlace> from_token(std::string_view token, std::string_view secret, std::string_view context);

}  // namespace tavola::runner
