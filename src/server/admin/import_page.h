// PUT /admin/imports/<table> has a governed table checked after items were brought in as they are (drift/adopt.h): what follows from the
// design is repaired, the rest is reported. GET returns how far the check is, or its report. GET /admin/imports/<table>/design returns the
// design: {"file": "shop.yaml", "text": "…"}.
#pragma once

#include <string>
#include <string_view>

#include <tavola/database.h>

#include "http/message.h"
#include "server/admin/adoptions.h"

namespace tavola::server {

// Returns the table of the page's path; empty for another path.
std::string_view table_of_import_path(std::string_view path);
std::string import_path(std::string_view table);
std::string imported_design_path(std::string_view table);

// Never fails: errors are responses. A table without a design is 404: it has nothing to check.
http::Response import_page(const http::Request& request, Database& database, Adoptions& adoptions);

}  // namespace tavola::server
