// The index builds of a database that are not finished, for whoever watches it.
#pragma once

#include <string>
#include <vector>

#include <tavola/error.h>

#include "store/store.h"

namespace tavola::engine {

// The names of the tables that are getting an index. Looks at the first thousand jobs of the database, not at more.
Result<std::vector<std::string>> builds_under_way(const store::Store& store);

}  // namespace tavola::engine
