// What CreateTable says of a table. Others say the same of tables that they create.
#pragma once

#include <tavola/requests.h>

#include "wire/fields.h"

namespace tavola::wire {

std::vector<LocalIndex> read_local_indexes(const Fields& in);
GlobalIndex read_global_index(const Fields& in);
std::vector<GlobalIndex> read_global_indexes(const Fields& in);

// All members that a request has; `in.problems()` knows what is wrong with them.
CreateTableRequest read_created_table(const Fields& in);

}  // namespace tavola::wire
