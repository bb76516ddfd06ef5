// /admin/faults: GET returns the injected faults and their counts, PUT {"faults": "throttle=0.05,seed=7"} replaces
// them, DELETE removes them; both from the next request on.
#pragma once

#include <string_view>

#include "http/message.h"
#include "server/layers/faults.h"

namespace tavola::server {

inline constexpr std::string_view kFaultsPath = "/admin/faults";

// Never fails: errors are responses.
http::Response faults_page(const http::Request& request, Faults& faults);

}  // namespace tavola::server
