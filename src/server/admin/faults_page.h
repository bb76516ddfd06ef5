// /admin/faults: GET tells what goes wrong on purpose and how often it did, PUT {"faults": "throttle=0.05,seed=7"} replaces
// it, DELETE ends it; both from the next request on.
#pragma once

#include <string_view>

#include "http/message.h"
#include "server/layers/faults.h"

namespace tavola::server {

inline constexpr std::string_view kFaultsPath = "/admin/faults";

// Never fails: errors are answers.
http::Response faults_page(const http::Request& request, Faults& faults);

}  // namespace tavola::server
