// Estimates the cost of a design: sizes of items, and capacity units of patterns and operations.
//
// Sizes are guesses by a simple rule. A text has 20 characters, or a quarter of its max_length if that is more, and
// never more than max_length; an example or the list of values improves the guess. Ids, dates, times and hashes have
// the length of their type, numbers a few bytes. A list has 3 elements, or a quarter of max_items. An optional field
// counts half. Keys, index keys and all names are added, as DynamoDB counts them (Developer Guide, "DynamoDB item sizes
// and formats").
//
// Units are exact for these sizes (Developer Guide, "DynamoDB read and write operations").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// Capacity units: DynamoDB counts them in halves.
struct Units {
  std::int64_t halves = 0;

  friend Units operator+(Units a, Units b) { return {a.halves + b.halves}; }
  friend Units operator*(Units a, std::int64_t times) { return {a.halves * times}; }
  friend auto operator<=>(const Units&, const Units&) = default;
};
std::string to_text(Units units);  // "0.5", "12"

enum class Consistency : std::uint8_t { Eventual, Strong };
Units read_units(std::size_t bytes, Consistency consistency);
Units write_units(std::size_t bytes);

// Returns the size of an item of the entity.
std::size_t item_bytes(const design::Design& design, const design::Entity& entity);
// Returns the size of its entry in an index, which has the keys and the projected attributes.
std::size_t entry_bytes(const design::Design& design, const design::Entity& entity,
                        const design::Index& index);
// Returns the bytes that a Get, Query or Scan pattern reads for each item.
std::size_t bytes_read(const design::Design& design, const design::Pattern& pattern);
// Returns the units that a pattern reads for this number of items, with the items that they refer to if it follows a reference.
Units units_to_read(const design::Design& design, const design::Pattern& pattern, std::int64_t items);
// Returns the units of one item that a pattern follows a reference to: each is read by its key.
Units units_to_follow(const design::Design& design, const design::Pattern& pattern);

// A write or a read of an operation.
struct Access {
  std::string what;  // "put Sale", "mirror OwnedShop", "guard of sku"
  std::size_t bytes = 0;
  Units units;
  bool is_new = false;  // of a write: the item did not exist
};

// The sizes of internal records: guards of unique values, records of done operations.
inline constexpr std::size_t kGuardBytes = 120;
inline constexpr std::size_t kOnceBytes = 400;

// Estimates as if every `when` held. A step for each item of a pattern counts kEachItems times, a fanout kFanoutItems
// times.
inline constexpr std::int64_t kEachItems = 10;
inline constexpr std::int64_t kFanoutItems = 3;

struct OperationEstimate {
  std::vector<Access> reads;
  std::vector<Access> writes;
  bool is_transaction = false;  // units are then twice those of single writes
  Units read_units;
  Units write_units;
  // Units of what a server with --upstream reads besides, to compare it in the write: every item that is written or checked, unless all are new.
  Units read_by_front;
};
OperationEstimate estimate(const design::Design& design, const design::Operation& operation);

}  // namespace tavola::workshop
