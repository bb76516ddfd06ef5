// A TypeScript module for one design, on the AWS SDK (@aws-sdk/client-dynamodb and lib-dynamodb): an interface per entity, key
// builders, a function per pattern and operation. It does not need Tavola: operations become the same transactions on
// DynamoDB.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

std::string gen_ts(const design::Design& design);

}  // namespace tavola::workshop
