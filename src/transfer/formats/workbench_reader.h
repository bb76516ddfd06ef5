// The sample data of a model of NoSQL Workbench (workshop/exchange/workbench.h), and its table.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tavola/requests.h>

#include "transfer/formats/item_reader.h"

namespace tavola::transfer {

// Fails with Validation if the source is not a model, or its model has no such table.
Result<std::unique_ptr<ItemReader>> new_workbench_reader(std::unique_ptr<ByteSource> source,
                                                         const std::string& table_name);

// Returns the definition of a table of a model. Fails as above.
Result<CreateTableRequest> table_of_workbench(std::string_view model, const std::string& table_name);

}  // namespace tavola::transfer
