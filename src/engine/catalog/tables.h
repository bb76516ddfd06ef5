// CreateTable (tables.cc) and UpdateTable (table_updates.cc): what a table may be, checked in AWS's order and words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

namespace tavola::engine {

// The name in a request on tables, and the name in a request on items, where an empty one is told in other words.
Result<void> check_table_name(std::string_view name);
Result<void> check_table_reference(std::string_view name);

// The description of the table to create (its id and time are the caller's), or what is wrong with the
// request.
Result<TableDescription> describe_new_table(const CreateTableRequest& request);

// What CreateTable and UpdateTable check alike. `member` is where the request has it.
Result<void> check_definitions(const std::vector<AttributeDefinition>& definitions);
Result<void> check_index_shape(const GlobalIndex& index, const std::vector<AttributeDefinition>& definitions,
                               const std::string& member);
Result<void> check_projected(const std::vector<LocalIndex>& local_indexes,
                             const std::vector<GlobalIndex>& global_indexes);
// `whose` follows the message: empty for a table.
Result<void> check_throughput(const Throughput& throughput, const std::string& whose = "");
Result<void> check_billing(BillingMode mode, const std::optional<Throughput>& throughput);

// What is wrong with an UpdateTable whatever the table is.
Result<void> check_update(const UpdateTableRequest& request);
// Applies an UpdateTable to a description, or says what is wrong with it. check_update() was called.
Result<void> apply_update(const UpdateTableRequest& request, TableDescription& description);
// What the response shows, as on AWS: the indexes that were deleted just now, with the keys they had.
void show_deleted(const TableDescription& before, const UpdateTableRequest& request, TableDescription& after);

}  // namespace tavola::engine
