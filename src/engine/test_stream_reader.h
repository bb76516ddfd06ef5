// Follows all shards of a stream, as consumers do. For tests only.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tavola/database.h>

namespace tavola::engine {

class StreamReader {
 public:
  StreamReader(Database& database, const std::string& stream,
               ShardIteratorType type = ShardIteratorType::TrimHorizon, std::optional<int> limit = {})
      : database_(database), limit_(limit) {
    const auto described = database.describe_stream({.stream = stream});
    EXPECT_TRUE(described) << described.error().message();
    if (!described) return;
    for (const Shard& shard : described->stream.shards) {
      const auto iterator =
          database.get_shard_iterator({.stream = stream, .shard_id = shard.shard_id, .type = type});
      EXPECT_TRUE(iterator) << iterator.error().message();
      if (iterator) iterators_.push_back(iterator->shard_iterator);
    }
  }

  // Returns the next page of every shard; the records of one item are in their order.
  Result<std::vector<StreamRecord>> try_next() {
    std::vector<StreamRecord> records;
    for (std::string& iterator : iterators_) {
      if (iterator.empty()) continue;
      TAVOLA_TRY(GetRecordsResponse page,
                 database_.get_records({.shard_iterator = iterator, .limit = limit_}));
      iterator = page.next_shard_iterator;
      std::ranges::move(page.records, std::back_inserter(records));
    }
    return records;
  }
  std::vector<StreamRecord> next() {
    auto records = try_next();
    EXPECT_TRUE(records) << records.error().message();
    return records.value_or(std::vector<StreamRecord>());
  }

  // Returns whether all shards are closed and completely read.
  bool is_at_end() const {
    return std::ranges::all_of(iterators_, [](const std::string& iterator) { return iterator.empty(); });
  }

 private:
  Database& database_;
  std::optional<int> limit_;
  std::vector<std::string> iterators_;
};

}  // namespace tavola::engine
