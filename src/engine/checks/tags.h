// Checks a table's tags (API reference, "Tag", "TagResource" and "UntagResource").
#pragma once

#include <span>
#include <string>

#include <tavola/requests.h>

namespace tavola::engine {

// Checks keys, values and the number of tags of one request or one table.
Result<void> check_tags(const Tags& tags);

// Checks the keys of tags to be removed. A missing tag is not an error.
Result<void> check_tag_keys(std::span<const std::string> keys);

}  // namespace tavola::engine
