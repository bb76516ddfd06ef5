// The members with which CreateTable describes a table, read and written. Imports and exports describe tables with the same members.
#pragma once

#include <string>

#include <tavola/requests.h>

#include "wire/codec/fields.h"

namespace tavola::wire {

std::vector<LocalIndex> read_local_indexes(const Fields& in);
GlobalIndex read_global_index(const Fields& in);
std::vector<GlobalIndex> read_global_indexes(const Fields& in);

// All members that a request has; `in.problems()` knows what is wrong with them.
CreateTableRequest read_created_table(const Fields& in);

// Returns the request as JSON; members without a value are left out.
std::string to_json(const CreateTableRequest& request);

}  // namespace tavola::wire
