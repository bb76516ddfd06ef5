// Writes requests as the JSON that a client sends: the inverse of the operations in this room, for calls to another
// server and for showing requests to people.
//
// Only given members are written, legacy parameters included. The actions of a transaction have none (tavola/items.h). `caller`, `as_is` and
// `may_see` are not part of the protocol.
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
