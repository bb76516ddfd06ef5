// The history of items for the console (docs/CONSOLE.md, "The history of an item").
#pragma once

#include <vector>

#include "server/console/route.h"

namespace tavola::server {

// POST /console/history/TABLE and /console/history/TABLE/as-of
std::vector<Route> history_routes();

}  // namespace tavola::server
