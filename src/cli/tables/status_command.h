// `tavola design status`: how a design is kept on its table, and changing how strictly.
#pragma once

#include <string>

#include <tavola/database.h>

#include "cli/output/command_output.h"
#include "design/model/model.h"

namespace tavola::cli {

struct StatusOptions {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string table{};
  std::string enforce{};        // strict, warn or off: from now on
  std::string format = "text";  // or json
};

Output run(const StatusOptions& options);

// How the design is kept, as JSON (server/admin/governance_page.h): by a server, or in a database. With `enforce` (strict, warn or off)
// that is so from now on.
Result<std::string> governance_at(const std::string& endpoint, const design::Design& design,
                                  const std::string& enforce);
Result<std::string> governance_in(Database& database, const design::Design& design,
                                  const std::string& enforce);

// Returns that JSON as text for people. Fails with Io if it is anything else: the endpoint may be another server.
Result<std::string> governance_text(const std::string& json);

}  // namespace tavola::cli
