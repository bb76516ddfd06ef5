// GET /admin/designs/<design>: how the design is kept: its enforcement, what was broken of it, what is stuck, what is left to do.
// PUT {"enforce": "strict" | "warn" | "off"} changes the first, from the next write on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "design/model/model.h"
#include "http/message.h"

namespace tavola::server {

// The design whose page this path is; empty when it is none.
std::string_view design_of_governance_path(std::string_view path);
std::string governance_path(std::string_view design);

// Never fails: errors are answers.
http::Response governance_page(const http::Request& request, const std::vector<design::Design>& designs,
                               Database& database);

// What the page says, of the table of a design.
Result<std::string> governance_json(const design::Design& design, Database& database);

std::string_view to_word(Enforcement enforcement);
std::optional<Enforcement> enforcement_of(std::string_view word);

}  // namespace tavola::server
