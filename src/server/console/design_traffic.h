// How a design is used: the requests of each pattern with what they cost, and those that no pattern explains.
#pragma once

#include <string>

#include "drift/requests_seen.h"

namespace tavola::server {

// {"since": time, "patterns": [{"name", "requests", "scanned", "returned", "readUnits"}, …], "unserved": [{"what", "requests"}, …]}
std::string traffic_json(const drift::RequestCounts& counts);

}  // namespace tavola::server
