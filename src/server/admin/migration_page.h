// GET /admin/migrations/<table>: the progress of a table's migration (docs/MIGRATE.md), as JSON. PUT performs a step of
// it:
//
//   PUT {"action": "start", "newTable": "music-2", "from": "1", "design": "design: 1 …", "file": "music.yaml"}
//   PUT {"action": "verify", "after": "…"}    {"action": "finish"}    {"action": "abort"}
//
// `tavola migrate --endpoint` is its client: both sides of the requests and responses are here.
#pragma once

#include <string>
#include <string_view>

#include <tavola/database.h>

#include "http/message.h"

namespace tavola::server {

// Returns the table of the page's path; empty for another path.
std::string_view table_of_migration_path(std::string_view path);
std::string migration_path(std::string_view table);

// Never fails: errors are responses.
http::Response migration_page(const http::Request& request, Database& database);

// Write and read the body of a PUT. Reading fails with Validation.
std::string to_json(const MigrateTableRequest& request);
Result<MigrateTableRequest> parse_migration_request(std::string_view table, std::string_view body);

// Write and read the content of the page. Reading fails with Io: another kind of server answered.
std::string to_json(const MigrateTableResponse& response);
Result<MigrateTableResponse> parse_migration_response(std::string_view body);

// Parses "start", "status", "verify", "finish", "abort"; returns nullopt for other words.
std::optional<MigrateTableRequest::Action> migration_action(std::string_view word);

}  // namespace tavola::server
