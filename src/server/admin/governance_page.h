// GET /admin/designs/<design>: the governance of the design: its enforcement, recorded violations, stuck items, pending
// work, and its adoption. PUT {"enforce": "strict" | "warn" | "off"} changes the enforcement from the next write on; PUT
// {"adopt": true} checks all items, and repairs what follows from the design (adoptions.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "design/model/model.h"
#include "http/message.h"
#include "server/admin/adoptions.h"

namespace tavola::server {

// Returns the design of the page's path; empty for another path.
std::string_view design_of_governance_path(std::string_view path);
std::string governance_path(std::string_view design);

// Never fails: errors are responses.
struct GovernanceParts {
  const std::vector<design::Design>& designs;
  Database& database;
  Adoptions& adoptions;
};
http::Response governance_page(const http::Request& request, const GovernanceParts& parts);

// Returns the content of the page for the table of a design. `adoption` is null if there was none.
Result<std::string> governance_json(const design::Design& design, Database& database,
                                    const Adoptions::Status* adoption = nullptr);

std::string_view to_word(Enforcement enforcement);
std::optional<Enforcement> enforcement_of(std::string_view word);

}  // namespace tavola::server
