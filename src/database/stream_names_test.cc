#include "database/stream_names.h"

#include <gtest/gtest.h>

namespace tavola {
namespace {

WallTime at(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

TEST(StreamNames, AreTheTableAndTheMoment) {
  const StreamName name{"Music", at(1'763'199'000'125)};
  EXPECT_EQ(to_text(name), "Music/stream/2025-11-15T09:30:00.125");
  EXPECT_EQ(parse_stream_name(to_text(name)), name);
  const StreamName early{"a-b_c.d", at(7)};
  EXPECT_EQ(to_text(early), "a-b_c.d/stream/1970-01-01T00:00:00.007");
  EXPECT_EQ(parse_stream_name(to_text(early)), early);
}

TEST(StreamNames, WhatIsNoneIsNone) {
  for (const char* text :
       {"", "Music", "Music/stream/", "/stream/2025-11-15T09:30:00.125", "Music/stream/latest",
        "Music/stream/2025-11-15T09:30:00", "Music/stream/2025-11-15T09:30:00.12",
        "Music/stream/2025-11-15T09:30:00.12x", "Music/stream/2025-13-15T09:30:00.125",
        "Music/index/2025-11-15T09:30:00.125", "Music/stream/2025-11-15T09:30:00.1255"}) {
    EXPECT_EQ(parse_stream_name(text), std::nullopt) << text;
  }
}

TEST(StreamNames, ShardsAreNumbered) {
  const WallTime since = at(1'763'199'000'125);
  EXPECT_EQ(shard_id(since, 2), "shardId-00000001763199000125-00000002");
  EXPECT_EQ(parse_shard_id(since, shard_id(since, 2)), 2U);
  EXPECT_EQ(parse_shard_id(at(1), shard_id(since, 2)), std::nullopt);
  for (const char* text : {"", "2", "shardId-00000001763199000125-0000000g", "shardId-00000001763199000125",
                           "shardid-00000001763199000125-00000002"}) {
    EXPECT_EQ(parse_shard_id(since, text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tavola
