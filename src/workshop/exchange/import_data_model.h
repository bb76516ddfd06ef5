// Models of AWS's DynamoDB modelling assistant (dynamodb_data_model.json): tables as requests of CreateTable, sample items as requests of
// BatchWriteItem, and access patterns as commands of the AWS CLI.
#pragma once

#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "workshop/exchange/workbench.h"

namespace tavola::workshop {

// Returns one design for each table. The entities are inferred from the sample items. A query or a get becomes a pattern if an entity has
// its keys; other reads become planned patterns, and writes are listed in comments. Fails with Validation if the text is not such a model.
Result<std::vector<Imported>> import_data_model(std::string_view json);

}  // namespace tavola::workshop
