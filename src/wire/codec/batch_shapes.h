// The parts of batches, which look alike in requests and as unprocessed rest.
#pragma once

#include <vector>

#include <tavola/requests.h>

#include "json/writer.h"

namespace tavola::wire {

// {"Keys": […], "ConsistentRead": …}
void write_keys_to_get(json::Writer& json, const KeysToGet& table);
// {"music": [{"PutRequest": …}, …], …}
void write_table_writes(json::Writer& json, const std::vector<TableWrites>& tables);

}  // namespace tavola::wire
