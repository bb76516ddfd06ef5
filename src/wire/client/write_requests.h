// Requests as the JSON that a client sends: the other direction of the operations in this room, for what asks another server
// and for what shows requests to people.
//
// Only what is given is written. The older parameters (Expected, KeyConditions, …) are not: nothing here makes them.
#pragma once

#include <string>

#include <tavola/requests.h>

#include "json/writer.h"

namespace tavola::wire {

std::string to_json(const GetItemRequest& request);
std::string to_json(const QueryRequest& request);
std::string to_json(const ScanRequest& request);
std::string to_json(const PutItemRequest& request);
std::string to_json(const UpdateItemRequest& request);
std::string to_json(const DeleteItemRequest& request);
std::string to_json(const TransactGetItemsRequest& request);
std::string to_json(const TransactWriteItemsRequest& request);

// One action of a transaction: {"Put": {…}}
void write_action(json::Writer& json, const TransactWrite& action);

}  // namespace tavola::wire
