// With --test-admin:
//
//   POST   /admin/reset                     removes all tables; {"keepTables": true}: all items; {"table": "orders"}: those of a table
//   GET    /admin/branches                  {"branches": [{"name": "clean", "taken": "2026-01-15T10:00:00Z", "restores": 3}]}
//   POST   /admin/branches/<name>           takes the current state under this name
//   POST   /admin/branches/<name>/restore   returns to it
//   GET    /admin/branches/<name>, DELETE   shows and forgets it
#pragma once

#include <string_view>

#include "http/message.h"
#include "server/admin/branches.h"

namespace tavola::server {

bool is_branches_path(std::string_view path);

// Never fails: errors are responses. `branches` is null without --test-admin.
http::Response branches_page(const http::Request& request, Branches* branches);

}  // namespace tavola::server
