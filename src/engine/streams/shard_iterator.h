// A position in a shard of a stream, as clients hold it: opaque to them, and valid for 15 minutes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "database/stream_names.h"

namespace tavola::engine {

struct ShardIterator {
  StreamName stream;
  std::uint32_t shard = 0;
  std::uint64_t position = 0;  // the smallest number that was not read
  WallTime issued;
  // Whether trimming at the position loses a record: one was there. False at the trim horizon, and if everything was
  // read.
  bool misses_what_is_trimmed = false;
  friend bool operator==(const ShardIterator&, const ShardIterator&) = default;
};

std::string to_text(const ShardIterator& iterator);
// Returns nullopt if the text was not made by to_text.
std::optional<ShardIterator> parse_shard_iterator(std::string_view text);

// Returns 21 digits, which grow with the number.
std::string sequence_number(std::uint64_t number);
std::optional<std::uint64_t> parse_sequence_number(std::string_view text);

}  // namespace tavola::engine
