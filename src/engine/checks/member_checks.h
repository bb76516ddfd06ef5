// Checks members of a request against the rules of their types: an unknown enum value, capacity below 1, a limit of 0.
// AWS checks these before everything else, and reports all of them in one message.
#pragma once

#include <tavola/requests.h>

namespace tavola::engine {

Result<void> check_members(const CreateTableRequest& request);
Result<void> check_members(const UpdateTableRequest& request);
Result<void> check_members(const PutItemRequest& request);
Result<void> check_members(const DeleteItemRequest& request);
Result<void> check_members(const UpdateItemRequest& request);
Result<void> check_members(const GetItemRequest& request);
Result<void> check_members(const QueryRequest& request);
Result<void> check_members(const ScanRequest& request);
Result<void> check_members(const BatchGetItemRequest& request);
Result<void> check_members(const BatchWriteItemRequest& request);
Result<void> check_members(const TransactGetItemsRequest& request);
Result<void> check_members(const TransactWriteItemsRequest& request);

}  // namespace tavola::engine
