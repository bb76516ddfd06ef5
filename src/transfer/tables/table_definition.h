// The definition of a table: everything needed to create it again, without its items.
//
//   {"CreateTable": {…as the request…}, "TimeToLiveAttribute": "expires"}
//
// The first member is the input of `aws dynamodb create-table --cli-input-json`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

namespace tavola::transfer {

struct TableDefinition {
  CreateTableRequest table{};
  std::string time_to_live_attribute{};  // empty: nothing expires
};

// Returns the definition of the table as it is now, with its stream. Tags and time to live are left out, with a line in `notes`, if the
// caller may not read them or the server does not know them: the items matter more.
Result<TableDefinition> definition_of(Database& database, const TableDescription& table,
                                      std::vector<std::string>& notes);

std::string to_json(const TableDefinition& definition);
// Fails with Validation if the text is not a definition.
Result<TableDefinition> read_definition(std::string_view json);

}  // namespace tavola::transfer
