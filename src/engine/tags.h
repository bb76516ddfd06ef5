// What a table's tags may be (API reference, "Tag" and "TagResource").
#pragma once

#include <tavola/requests.h>

namespace tavola::engine {

Result<void> check_tags(const Tags& tags);

}  // namespace tavola::engine
