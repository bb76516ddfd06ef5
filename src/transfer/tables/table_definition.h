// What a table is, beside its items: what it takes to create it again.
//
//   {"CreateTable": {…as the request…}, "TimeToLiveAttribute": "expires"}
//
// The first member is what `aws dynamodb create-table --cli-input-json` takes.
#pragma once

#include <string>
#include <string_view>

#include <tavola/database.h>

namespace tavola::transfer {

struct TableDefinition {
  CreateTableRequest table{};
  std::string time_to_live_attribute{};  // empty: nothing expires
};

// What a table's description says. Its tags are not among that.
CreateTableRequest created_like(const TableDescription& table);

// Of the table as it is. Tags are left out where the database does not tell them.
Result<TableDefinition> definition_of(Database& database, const TableDescription& table);

std::string to_json(const TableDefinition& definition);
// Fails with Validation when the text is none.
Result<TableDefinition> read_definition(std::string_view json);

}  // namespace tavola::transfer
