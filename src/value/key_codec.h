// Key bytes whose order is DynamoDB's order: numbers by value, strings by UTF-8 bytes, binary by unsigned
// bytes. Each encoded part ends itself, so parts can be joined (multi-attribute keys, index key + table key)
// and a part that is a prefix of another sorts first. docs/FORMAT.md shows the layout; key_codec.cc draws it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/packed.h>

namespace tavola {

// Appends one key part of type S, N or B (checked by the caller against the schema).
void append_key_part(std::string& out, ValueView value);

// Appends the bytes that every encoded string or binary beginning with `prefix` begins with, for begins_with ranges.
void append_key_prefix(std::string& out, std::string_view prefix);

// Reads the next part of `type` off the front of `in` and appends it to `writer` as a value.
// Fails with Corrupt on short or malformed input, never with undefined behaviour.
Result<void> read_key_part(std::string_view& in, Type type, ItemWriter& writer);

// Skips the next part of `type`.
Result<void> skip_key_part(std::string_view& in, Type type);

// Fixed-width big-endian integers, for ids and hashes inside keys.
void append_ordered_u16(std::string& out, std::uint16_t value);
void append_ordered_u32(std::string& out, std::uint32_t value);
void append_ordered_u64(std::string& out, std::uint64_t value);
Result<std::uint16_t> read_ordered_u16(std::string_view& in);
Result<std::uint32_t> read_ordered_u32(std::string_view& in);
Result<std::uint64_t> read_ordered_u64(std::string_view& in);

// The number's order-preserving bytes, also its payload in packed items: one form everywhere.
void append_ordered_number(std::string& out, const Number& number);
Result<Number> read_ordered_number(std::string_view& in);  // consumes exactly one number
// Returns whether these bytes, which are one number, are that of an integer.
bool is_ordered_integer(std::string_view bytes);

// Returns the smallest string greater than every string that begins with `prefix`; empty if there is none (all 0xFF).
std::string prefix_successor(std::string prefix);

}  // namespace tavola
