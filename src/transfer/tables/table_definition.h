// What a table is, beside its items: what it takes to create it again.
//
//   {"CreateTable": {…as the request…}, "TimeToLiveAttribute": "expires"}
//
// The first member is what `aws dynamodb create-table --cli-input-json` takes.
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
// Fails with Validation when the text is none.
Result<TableDefinition> read_definition(std::string_view json);

}  // namespace tavola::transfer
