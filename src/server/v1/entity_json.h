// Results of patterns and operations as plain JSON, for HTTP and the command line.
#pragma once

#include <string>

#include "runner/runner.h"

namespace tavola::server {

// Returns {"items": [{…}, …], "next": "token"}; next is null at the end.
std::string page_json(const runner::Found& found);

}  // namespace tavola::server
