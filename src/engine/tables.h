// CreateTable and UpdateTable: what a table may be, checked in AWS's order and words.
#pragma once

#include <string_view>

#include <tavola/requests.h>

namespace tavola::engine {

// The name in a request on tables, and the name in a request on items, where an empty one is told in other words.
Result<void> check_table_name(std::string_view name);
Result<void> check_table_reference(std::string_view name);

// The description of the table to create (its id and time are the caller's), or what is wrong with the
// request.
Result<TableDescription> describe_new_table(const CreateTableRequest& request);

// What is wrong with an UpdateTable whatever the table is.
Result<void> check_update(const UpdateTableRequest& request);
// Applies an UpdateTable to a description, or says what is wrong with it. check_update() was called.
Result<void> apply_update(const UpdateTableRequest& request, TableDescription& description);

}  // namespace tavola::engine
