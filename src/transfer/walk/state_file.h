// Small files of JSON in which commands and servers keep how far they are. They are written with replace_file, so that a crash
// leaves the old or the new text.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "wire/codec/fields.h"

namespace tavola::transfer {

// Returns the text of a file; nothing if it is missing.
Result<std::optional<std::string>> read_if_there(const std::filesystem::path& path);

// Passes the members of a JSON object to `read`. Fails with Corrupt if the text is not an object, or if a member that was read has the
// wrong type.
Result<void> read_members(std::string_view json, const std::function<void(const wire::Fields&)>& read);

// The member as text, "" if missing; as a number that is not negative, 0 if missing.
std::string text_of(const wire::Fields& in, std::string_view name);
std::uint64_t count_of(const wire::Fields& in, std::string_view name);

}  // namespace tavola::transfer
