// Keys and values as PostgreSQL stores them.
//
// An entry of a B-tree of PostgreSQL ends at 2.7 KB, and our keys at 64 KB. So a key has two parts: its first bytes, which are indexed,
// and the rest, of which the index has a hash.
//
//   kv (p bytea, h bytea, slot smallint, r bytea, v bytea, c bigint[])     primary key (p, h, slot)
//
//   p     the first 2,400 bytes of the key
//   h, r  SHA-256 of the rest, and the rest; both empty for nearly all keys
//   slot  0: a value, v. From 1 on: counters, c, of which the key has one row for each slot that was ever added to. Their sum is the value.
//
// Order: rows of different p are ordered by p. Those of one p are ordered by r, which the index does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

inline constexpr std::size_t kIndexedKeyBytes = 2400;

inline constexpr std::string_view kStampKey = "\xff\xff\xff\xffs";

struct StoredKey {
  std::string_view head;  // p
  std::string_view rest;  // r
  std::string hash{};     // h

  bool is_long() const { return !rest.empty(); }
};
// Borrows the key.
StoredKey stored_key(std::string_view key);

// Parameters of statements, in PostgreSQL's binary form.
std::string binary_int16(std::int16_t value);
std::string binary_int64(std::int64_t value);
std::string binary_bytes_array(std::span<const std::optional<std::string_view>> values);
std::string binary_bytes_array(std::span<const std::string_view> values);
std::string binary_int64_array(std::span<const std::int64_t> values);
std::string binary_bool_array(const std::vector<bool>& values);

// Results, in the same form. They come from the server: what does not fit is Corrupt.
Result<std::int64_t> int_in(std::string_view bytes);  // of 2, 4 or 8 bytes
Result<std::vector<std::int64_t>> int64_array_in(std::string_view bytes);

// Counters as Write::add has them, and as bigint[].
std::string counters_to_array(std::string_view encoded);
// Adds the counters of one slot to the sum.
Result<void> add_slot(std::string& total, std::string_view array);

}  // namespace tavola::store
