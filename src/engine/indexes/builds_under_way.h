// The unfinished index builds of a database, for monitoring.
#pragma once

#include <string>
#include <vector>

#include <tavola/error.h>

#include "store/store.h"

namespace tavola::engine {

// Returns the names of the tables that are getting an index. Reads only the first thousand jobs of the database.
Result<std::vector<std::string>> builds_under_way(const store::Store& store);

}  // namespace tavola::engine
