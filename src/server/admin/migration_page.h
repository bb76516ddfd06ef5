// GET /admin/migrations/<table>: how far the migration of a table is (docs/MIGRATE.md), as JSON. PUT does a step of it:
//
//   PUT {"action": "start", "newTable": "music-2", "from": "1", "design": "design: 1 …", "file": "music.yaml"}
//   PUT {"action": "verify", "after": "…"}    {"action": "finish"}    {"action": "abort"}
//
// `tavola migrate --endpoint` asks it: requests and answers are written and read here.
#pragma once

#include <string>
#include <string_view>

#include <tavola/database.h>

#include "http/message.h"

namespace tavola::server {

// The table whose page this path is; empty when it is none.
std::string_view table_of_migration_path(std::string_view path);
std::string migration_path(std::string_view table);

// Never fails: errors are answers.
http::Response migration_page(const http::Request& request, Database& database);

// The body of a PUT. Reading fails with Validation.
std::string to_json(const MigrateTableRequest& request);
Result<MigrateTableRequest> parse_migration_request(std::string_view table, std::string_view body);

// What the page says. Reading fails with Io: a server of another kind answered.
std::string to_json(const MigrateTableResponse& response);
Result<MigrateTableResponse> parse_migration_response(std::string_view body);

// "start", "status", "verify", "finish", "abort"; nothing for other words.
std::optional<MigrateTableRequest::Action> migration_action(std::string_view word);

}  // namespace tavola::server
