// The OpenAPI 3.1 document of the served designs: every pattern and operation, with the entities as schemas and the
// refusals as examples.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::server {

std::string openapi(std::span<const design::Design> designs);

}  // namespace tavola::server
