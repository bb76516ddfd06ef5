// An adoption or a check of a table that a server performs in the background (server/admin/adoptions.h), and items that were brought in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "design/model/model.h"
#include "remote/remote_database.h"

namespace tavola::cli {

struct CheckedTable {
  std::string text{};
  std::string json{};
  bool is_complete = false;  // everything follows the design
};

// Waits until the work on a page has ended, and shows its progress. `answer` is the page's first answer, with status 200; its
// member `name` is the state of the work, or the whole page if the name is empty.
Result<CheckedTable> wait_for_check(const remote::Target& server, const std::string& path,
                                    std::string_view name, remote::HttpAnswer answer);

// A table that items are brought into.
struct ImportedInto {
  Database& database;
  std::string endpoint{};  // empty: the database is local
  std::string table{};
};
// Checks a table after items were brought in as they are. Returns nullopt if the table has no design.
Result<std::optional<CheckedTable>> check_imported(const ImportedInto& into);
// Returns the design that governs the table; null if it has none, or does not exist.
Result<std::shared_ptr<const design::Design>> design_of_table(const ImportedInto& table);

}  // namespace tavola::cli
