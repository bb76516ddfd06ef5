// Adoptions that a server does (server/admin/adoptions.h), seen from a command.
#pragma once

#include <string>

#include <tavola/error.h>

#include "cli/command/checked_table.h"
#include "json/reader.h"
#include "remote/remote_database.h"

namespace tavola::cli {

// A page of a server, which must be JSON. Fails with the reason that the server gives.
struct AdminPage {
  std::string body{};
  json::Node root{};
};
Result<AdminPage> admin_page(const remote::Target& server, Result<remote::HttpAnswer> answer);

// Shows the progress of an adoption until it ends. `page` is the response to the request that started it, and `path` shows the same
// page.
Result<CheckedTable> wait_for_adoption(const remote::Target& server, const std::string& path, AdminPage page);

}  // namespace tavola::cli
