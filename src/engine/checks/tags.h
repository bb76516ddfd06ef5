// What a table's tags may be (API reference, "Tag", "TagResource" and "UntagResource").
#pragma once

#include <span>
#include <string>

#include <tavola/requests.h>

namespace tavola::engine {

// Keys, values and the number of tags of one request or one table.
Result<void> check_tags(const Tags& tags);

// The keys of tags to be removed. That a table has no such tag is no error.
Result<void> check_tag_keys(std::span<const std::string> keys);

}  // namespace tavola::engine
