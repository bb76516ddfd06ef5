// Contention: threads that write the same few items concurrently, and readers that watch them.
//
// Every item obeys invariants in each of its states, so that any read, of the table or of an index, can be
// checked alone: `left` equals `right`, and `owner` follows from `version`. Each writer records its
// acknowledged changes, which are compared with the stored items at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tavola/database.h>

namespace tavola::model {

struct ContentionOptions {
  std::uint64_t seed = 1;
  int writers = 4;
  int readers = 2;
  int writes_each = 1000;
  int items = 6;
};

struct ContentionReport {
  std::vector<std::string> problems{};  // empty: nothing was lost and no impossible state was seen
  std::int64_t acknowledged = 0;
  std::int64_t refused = 0;  // by a condition
  std::int64_t pages_read = 0;
};

ContentionReport run_contention(Database& database, const ContentionOptions& options);

}  // namespace tavola::model
