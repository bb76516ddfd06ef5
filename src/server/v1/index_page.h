// The pages of /v1 for people: what can be asked here, and how. They need nothing from elsewhere.
#pragma once

#include <span>
#include <string>

#include "design/model/model.h"

namespace tavola::server {

// All designs, each with a link to its page.
std::string index_page(std::span<const design::Design> designs);
// The patterns and operations of one, with their parameters and a line to try each.
std::string index_page(const design::Design& design);

}  // namespace tavola::server
