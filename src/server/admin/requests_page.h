// GET /admin/designs/<design>/requests: the requests to the design's table since the server started, as JSON
// (drift/requests_seen.h). `tavola design drift --endpoint` reads it.
#pragma once

#include <string_view>

#include "http/message.h"
#include "server/layers/traffic_database.h"

namespace tavola::server {

// Returns whether a path is that of such a page, for any design.
bool is_requests_page(std::string_view path);
std::string requests_path(std::string_view design);

// Never fails: errors are answers.
http::Response requests_page(const http::Request& request, const TrafficDatabase& counted);

}  // namespace tavola::server
