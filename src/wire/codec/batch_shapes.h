// The parts of batches, which look alike in requests and as unprocessed rest.
#pragma once

#include <vector>

#include <tavola/requests.h>

#include "base/json_writer.h"

namespace tavola::wire {

// {"Keys": […], "ConsistentRead": …}
void write_keys_to_get(JsonWriter& json, const KeysToGet& table);
// {"music": [{"PutRequest": …}, …], …}
void write_table_writes(JsonWriter& json, const std::vector<TableWrites>& tables);

}  // namespace tavola::wire
