// The record of the copying job of a migration (docs/FORMAT.md, "Jobs").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

#include "engine/records/schema.h"

namespace tavola::engine {

// A job's name within its table.
inline constexpr std::string_view kCopyingJob = "migrate";

struct JobRecord {
  std::string table{};
  std::string position{};  // the key in the store of the item that was copied last
  std::uint64_t copied = 0;
  std::uint64_t failed = 0;
  std::vector<MigrationDifference> samples{};  // of those that failed
  bool walked = false;                         // all were visited, and some failed: Start visits them again

  void note_failure(std::string key, std::string why);
};

Result<std::string> encode(const JobRecord& job);
Result<JobRecord> decode_copying(std::string_view record);

// The key of an item, as JSON.
std::string key_text(const TableSchema& table, const ItemView& item);

}  // namespace tavola::engine
