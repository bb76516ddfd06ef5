// The pages of /v1 for people: the available requests, with examples. The pages load no other resources.
#pragma once

#include <span>
#include <string>

#include "design/model/model.h"

namespace tavola::server {

// Returns the list of all designs, each with a link to its page.
std::string index_page(std::span<const design::Design> designs);
// Returns the patterns and operations of a design, with their parameters and an example of each.
std::string index_page(const design::Design& design);

}  // namespace tavola::server
