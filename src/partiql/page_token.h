// Where a page of a SELECT ended, as the text that the client sends back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/packed.h>

namespace tavola::partiql {

struct PagePlace {
  std::size_t read = 0;               // of the plan
  std::optional<PackedItem> after{};  // the last key that was looked at; nothing: the read's beginning
};

// `fingerprint` stands for the statement and its parameters.
std::string to_token(const PagePlace& place, std::string_view fingerprint);
// Fails when it is no token, or one of another statement.
Result<PagePlace> from_token(std::string_view token, std::string_view fingerprint);

}  // namespace tavola::partiql
