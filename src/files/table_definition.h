// The definition of a table: everything needed to create it again, without its items.
//
//   {"CreateTable": {…as the request…}, "TimeToLiveAttribute": "expires"}
//
// The first member is the input of `aws dynamodb create-table --cli-input-json`.
#pragma once

#include <string>
#include <string_view>

#include <tavola/database.h>

namespace tavola::files {

struct TableDefinition {
  CreateTableRequest table{};
  std::string time_to_live_attribute{};  // empty: nothing expires
};

// Returns the request that creates such a table, without its tags.
CreateTableRequest created_like(const TableDescription& table);

// Returns the definition of the current table. Leaves out tags if the database does not reveal them.
Result<TableDefinition> definition_of(Database& database, const TableDescription& table);

std::string to_json(const TableDefinition& definition);
// Fails with Validation if the text is not a definition.
Result<TableDefinition> read_definition(std::string_view json);

}  // namespace tavola::files
