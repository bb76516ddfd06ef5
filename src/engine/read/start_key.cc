#include "engine/read/start_key.h"

#include <vector>

#include "base/assert.h"
#include "engine/checks/key_checks.h"
#include "engine/checks/messages.h"
#include "engine/read/page.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

bool has_right_size(const Source& source, const ItemView& start) {
  return start.size() == position_attributes(source.table, source.index).size();
}

// Checks the key of the table or index. AWS's message does not mention the starting key here.
Result<void> check_read_key(const KeyShape& key, const ItemView& start) {
  return key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
    const auto value = start.find(attribute.name);
    if (!value) {
      return fail(start_key_invalid());
    }
    return check_key_value(attribute, *value, role);
  });
}

// Checks the table's key, which every starting key contains.
Result<void> check_table_key(const KeyShape& key, const ItemView& start) {
  return key.check_each([&](const KeyAttribute& attribute, KeyType role) -> Result<void> {
    const auto value = start.find(attribute.name);
    if (!value) {
      return fail(start_key_invalid(key_does_not_match_schema().message()));
    }
    if (const auto fits = check_key_value(attribute, *value, role); !fits) {
      return fail(start_key_invalid(fits.error().message()));
    }
    return {};
  });
}

bool contains(const store::KeyRange& range, std::string_view key) {
  return key >= range.from && (range.to.empty() || key < range.to);
}

// Returns the partition of `start`. It has all key attributes, as was checked.
std::string partition_of(const Source& source, const ItemView& start) {
  std::vector<ValueView> values;
  for (const KeyAttribute& attribute : source.key().hash) {
    const auto value = start.find(attribute.name);
    TAVOLA_ASSERT(value.has_value());
    values.push_back(*value);
  }
  return partition_prefix(source.table.id, source.id(), values);
}

store::KeyRange after_position(store::KeyRange range, std::string position, store::Direction direction) {
  if (direction == store::Direction::Backward) {
    range.to = std::move(position);
  } else {
    range.from = std::move(position) + '\0';  // the smallest key greater than it
  }
  return range;
}

}  // namespace

Result<void> check_query_start(const Source& source, const ItemView& start) {
  if (!has_right_size(source, start)) {
    return fail(start_key_invalid());
  }
  TAVOLA_CHECK(check_read_key(source.key(), start));
  return check_table_key(source.table.key, start);
}

Result<void> check_scan_start(const Source& source, const ItemView& start) {
  if (!has_right_size(source, start)) {
    return fail(source.index != nullptr ? start_key_invalid()
                                        : start_key_invalid(key_does_not_match_schema().message()));
  }
  if (source.index != nullptr) {
    TAVOLA_CHECK(check_read_key(source.index->key, start));
  }
  return check_table_key(source.table.key, start);
}

Result<store::KeyRange> after_start(const Source& source, const KeySelection& selection,
                                    const ItemView& start, store::Direction direction) {
  std::string position = position_key(source.table, source.index, start);
  const std::string partition = partition_of(source, start);
  if (selection.has_range_condition) {
    // AWS checks the range condition first, whatever the partition.
    if (!contains(selection.range, selection.partition + position.substr(partition.size()))) {
      return fail(start_key_misses_range());
    }
    if (partition != selection.partition) {
      return fail(start_key_not_restartable());
    }
  } else if (partition != selection.partition) {
    return fail(start_key_outside_query());
  }
  return after_position(selection.range, std::move(position), direction);
}

// Segment s of n holds the hashes [s·65536/n, (s+1)·65536/n). Beyond 65536 segments some are empty.
store::KeyRange segment_range(const Source& source, Segment segment) {
  constexpr std::int64_t kHashes = 0x10000;
  const auto first_hash_of = [&](std::int64_t number) {
    return static_cast<std::uint32_t>(number * kHashes / segment.total);
  };
  return entry_range(source.table.id, source.id(), first_hash_of(segment.number),
                     first_hash_of(segment.number + 1));
}

Result<store::KeyRange> after_start(const Source& source, Segment segment, const ItemView& start) {
  store::KeyRange range = segment_range(source, segment);
  std::string position = position_key(source.table, source.index, start);
  if (!contains(range, position)) {
    return fail(start_key_wrong_segment(segment.number, segment.total));
  }
  return after_position(std::move(range), std::move(position), store::Direction::Forward);
}

}  // namespace tavola::engine
