// The body of a recorded request without what the designs of its tables mark as sensitive.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/requests/asked_for.h"

namespace tavola::server {

struct MaskedBody {
  std::string body;                 // JSON
  std::vector<std::string> masked;  // the attributes whose values are not in it
};

// `designs` are those of the tables that the request names. Values of expressions and parameters of statements do not say to which attribute they
// belong: all of them are masked if a text of the request names a sensitive attribute. Text that is not JSON is replaced as a whole.
MaskedBody mask_body(std::string_view body, const DesignsOfTables& designs);

// "GET /v1/shop/customer?email=a@b.c" without the values of sensitive fields.
MaskedBody mask_target(std::string_view target, const DesignsOfTables& designs);

}  // namespace tavola::server
