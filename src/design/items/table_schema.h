// The table that a design needs, and how an existing table differs from it.
#pragma once

#include <string>
#include <vector>

#include <tavola/requests.h>

#include "design/model/model.h"

namespace tavola::design {

// The initial throughput of a provisioned table and of each of its global indexes: enough to try it, cheap to
// leave.
inline constexpr Throughput kFirstThroughput{.read_units = 5, .write_units = 5};

// Defines the key attributes only: DynamoDB refuses a definition that no key uses.
CreateTableRequest table_schema(const Design& design);
// Returns the table's key schema alone.
std::vector<KeySchemaElement> key_schema_of(const Design& design);

// Returns the differences for people, one line each: "index GSI2 is missing". Properties that the design leaves open
// (throughput, tags, streams) are not compared.
std::vector<std::string> differences(const CreateTableRequest& wanted, const TableDescription& found);

}  // namespace tavola::design
