// What patterns find and operations return, as plain JSON: the same over HTTP and on the command line.
#pragma once

#include <string>

#include "runner/runner.h"

namespace tavola::server {

// {"items": [{…}, …], "next": "token"}; next is null at the end.
std::string page_json(const runner::Found& found);

}  // namespace tavola::server
