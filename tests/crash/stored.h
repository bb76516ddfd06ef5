// The whole content of a database, read through its public operations, in a form that can be compared (and,
// in the tests of the checker, damaged).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/crash/workload.h"

namespace tavola::crash {

struct StoredTable {
  std::map<Key, Item> items;                         // by a full scan
  std::map<std::string, std::vector<Item>> indexes;  // by a full scan of each, in its order
  std::int64_t described_items = 0;                  // as DescribeTable counts
  std::map<std::string, std::int64_t> described_index_items;
};

using Stored = std::map<std::string, StoredTable>;  // by table name

Result<Stored> read_stored(Database& database);

}  // namespace tavola::crash
