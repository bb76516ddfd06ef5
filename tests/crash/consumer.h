// A consumer of the tables' streams, which outlives the writers: it applies their records to empty tables, and resumes
// after each kill.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/crash/agreement.h"
#include "tests/crash/stored.h"

namespace tavola::crash {

class StreamConsumer {
 public:
  // Reads new records, and reports where the tables made from the records differ from the stored ones; also each record
  // that does not follow the one before it.
  Violations follow(Database& database, const Stored& stored);

  std::uint64_t records() const { return records_; }

 private:
  struct Followed {
    std::map<std::string, std::string> last_numbers;  // of each shard
    std::map<Key, Item> items;
  };
  Result<void> read(Database& database, const std::string& stream, Followed& followed, Violations& found);
  Result<void> read_shard(Database& database, const GetShardIteratorRequest& from, Followed& followed,
                          Violations& found);

  std::map<std::string, Followed> streams_;  // by name
  std::uint64_t records_ = 0;
};

}  // namespace tavola::crash
