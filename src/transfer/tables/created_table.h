// Creating a table from its definition, and waiting for it.
#pragma once

#include <string>

#include <tavola/database.h>

#include "transfer/walk/patience.h"

namespace tavola::transfer {

// Creates a table and waits until it can be used.
Result<TableDescription> create_and_wait(Database& database, const CreateTableRequest& table,
                                         const Pause& pause);

// Waits until a table can be used. Fails with ResourceInUse after ten minutes.
Result<TableDescription> wait_until_usable(Database& database, const std::string& table_name,
                                           const Pause& pause);

// Returns whether items can be read and written. An UPDATING table serves both: an index is being built, or its capacity is being changed.
bool is_usable(TableStatus status);

// Switches time to live on, unless it is on already.
Result<void> expire_by(Database& database, const std::string& table_name, const std::string& attribute);

}  // namespace tavola::transfer
