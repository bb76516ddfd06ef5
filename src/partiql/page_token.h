// The position where a page of a SELECT ended, as a text that the client sends back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/packed.h>

namespace tavola::partiql {

struct PagePlace {
  std::size_t read = 0;               // number in the plan
  std::optional<PackedItem> after{};  // the last key evaluated; nullopt: the start of the read
};

// `fingerprint` identifies the statement and its parameters.
std::string to_token(const PagePlace& place, std::string_view fingerprint);
// Fails if it is not a token, or belongs to another statement.
Result<PagePlace> from_token(std::string_view token, std::string_view fingerprint);

}  // namespace tavola::partiql
