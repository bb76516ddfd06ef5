// Reads and writes the members with which CreateTable describes a table. Imports and exports use the same members.
#pragma once

#include <string>

#include <tavola/requests.h>

#include "wire/codec/fields.h"

namespace tavola::wire {

std::vector<LocalIndex> read_local_indexes(const Fields& in);
GlobalIndex read_global_index(const Fields& in);
std::vector<GlobalIndex> read_global_indexes(const Fields& in);

// Reads all members of a request; `in.problems()` collects what is wrong with them.
CreateTableRequest read_created_table(const Fields& in);

// Returns the request as JSON; members without a value are left out.
std::string to_json(const CreateTableRequest& request);

}  // namespace tavola::wire
