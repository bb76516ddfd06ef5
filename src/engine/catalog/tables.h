// CreateTable (tables.cc) and UpdateTable (table_updates.cc): the valid tables, checked in AWS's order and words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

namespace tavola::engine {

// Check the name in a request on tables, and in a request on items, where an empty one has another message.
Result<void> check_table_name(std::string_view name);
Result<void> check_table_reference(std::string_view name);

// Returns the description of the table to create (the caller sets its id and time), or the problem of the request.
Result<TableDescription> describe_new_table(const CreateTableRequest& request);

// Checks shared by CreateTable and UpdateTable. `member` is the position in the request.
Result<void> check_definitions(const std::vector<AttributeDefinition>& definitions);
Result<void> check_index_shape(const GlobalIndex& index, const std::vector<AttributeDefinition>& definitions,
                               const std::string& member);
Result<void> check_projected(const std::vector<LocalIndex>& local_indexes,
                             const std::vector<GlobalIndex>& global_indexes);
// `whose` follows the message: empty for a table.
Result<void> check_throughput(const Throughput& throughput, const std::string& whose = "");
Result<void> check_billing(BillingMode mode, const std::optional<Throughput>& throughput);

// Checks an UpdateTable without its table.
Result<void> check_update(const UpdateTableRequest& request);
// Applies an UpdateTable to a description, or fails. check_update() was called.
Result<void> apply_update(const UpdateTableRequest& request, TableDescription& description);
// Shows in the response, as AWS does, the indexes that were just deleted, with their keys.
void show_deleted(const TableDescription& before, const UpdateTableRequest& request, TableDescription& after);

}  // namespace tavola::engine
