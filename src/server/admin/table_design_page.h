// GET /admin/tables/<table>/design: the design that governs the table, and its adoption. PUT gives the table another one, as
// `tavola design apply --endpoint` does: both sides of its requests are here.
//
//   PUT {"design": "design: 1 …", "file": "shop.yaml", "deleteIndexes": true}
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

#include "http/message.h"
#include "server/admin/design_changes.h"

namespace tavola::server {

// Returns the table of the page's path; empty for another path.
std::string_view table_of_design_path(std::string_view path);
std::string table_design_path(std::string_view table);

// Never fails: errors are responses.
http::Response table_design_page(const http::Request& request, DesignChanges& changes);

// The body of a PUT.
struct TableDesignRequest {
  std::string design{};     // its text
  std::string file_name{};  // for messages
  bool delete_indexes = false;
};
std::string to_json(const TableDesignRequest& request);
Result<TableDesignRequest> parse_table_design_request(std::string_view body);

}  // namespace tavola::server
