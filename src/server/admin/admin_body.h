// The bodies that the pages under /admin take: one JSON object each.
#pragma once

#include <string_view>

#include <tavola/error.h>

#include "json/reader.h"

namespace tavola::server {

// Fails with Validation when the body is anything but a JSON object; the message gives `example` for what it must be.
Result<json::Node> read_admin_body(std::string_view body, std::string_view example);

}  // namespace tavola::server
