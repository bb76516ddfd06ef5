// Names of streams and shards.
//
//   stream    Music/stream/2026-11-15T09:30:00.125      the table, and when the stream was switched on
//   shard     shardId-00000001763199000125-00000002     that time, and the number of the shard
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tavola {

// "2026-11-15T09:30:00.125", in UTC.
std::string stream_label(WallTime since);

struct StreamName {
  std::string table_name;
  WallTime since;
  friend bool operator==(const StreamName&, const StreamName&) = default;
};
std::string to_text(const StreamName& name);
// Returns nullopt if `text` is not a stream's name.
std::optional<StreamName> parse_stream_name(std::string_view text);

std::string shard_id(WallTime since, std::uint32_t shard);
// Returns the number of the shard; nullopt if it does not belong to this stream.
std::optional<std::uint32_t> parse_shard_id(WallTime since, std::string_view text);

}  // namespace tavola
