// The table that a design needs, and how a table that exists differs from it.
#pragma once

#include <string>
#include <vector>

#include <tavola/requests.h>

#include "design/model/model.h"

namespace tavola::design {

// What a provisioned table and each of its global indexes begin with: enough to try it, cheap to leave.
inline constexpr Throughput kFirstThroughput{.read_units = 5, .write_units = 5};

// Defines the key attributes, and no others: DynamoDB refuses a definition that no key uses.
CreateTableRequest table_schema(const Design& design);

// For people, one line each: "index GSI2 is missing". What a design does not say (throughput, tags, streams) may be anything.
std::vector<std::string> differences(const CreateTableRequest& wanted, const TableDescription& found);

}  // namespace tavola::design
