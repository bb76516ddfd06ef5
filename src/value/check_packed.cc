// Checks packed bytes of unknown origin (a restored file, a fuzzer's input): bytes that pass are exactly what
// ItemWriter could have written, so they are safe to view and equal items are equal bytes.
#include <tavola/packed.h>

#include "base/utf8.h"
#include "value/item_format.h"
#include "value/key_codec.h"
#include "value/limits.h"
#include "value/varint.h"

namespace tavola {

namespace {

Error bad_item(const char* reason) { return Error::corrupt(std::string("packed item: ") + reason); }

Result<std::size_t> read_varint(std::string_view& in) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < kVarintBytesMax; ++i) {
    if (i == in.size()) return fail(bad_item("ends inside a varint"));
    const auto byte = static_cast<unsigned char>(in[i]);
    value |= static_cast<std::size_t>(byte & 0x7F) << (7 * i);
    if (byte >= 0x80) continue;
    if (i > 0 && byte == 0) return fail(bad_item("varint is longer than needed"));
    in.remove_prefix(i + 1);
    return value;
  }
  return fail(bad_item("varint is too long"));
}

Result<std::string_view> read_sized(std::string_view& in) {
  TAVOLA_TRY(const std::size_t size, read_varint(in));
  if (size > in.size()) return fail(bad_item("size goes past the end"));
  const std::string_view bytes = in.substr(0, size);
  in.remove_prefix(size);
  return bytes;
}

Result<void> check_scalar(Type type, std::string_view payload) {
  switch (type) {
    case Type::Null:
      if (!payload.empty()) return fail(bad_item("NULL with a payload"));
      return {};
    case Type::Bool:
      if (payload.size() != 1 || static_cast<unsigned char>(payload[0]) > 1)
        return fail(bad_item("BOOL is not 0 or 1"));
      return {};
    case Type::Number:
      TAVOLA_CHECK(read_ordered_number(payload));
      if (!payload.empty()) return fail(bad_item("bytes after a number"));
      return {};
    case Type::String:
      if (!is_utf8(payload)) return fail(bad_item("text is not UTF-8"));
      return {};
    default:
      return {};
  }
}

Result<void> check_value(std::string_view bytes, std::size_t level);

Result<void> check_list(std::string_view in, std::size_t level) {
  TAVOLA_TRY(const std::size_t count, read_varint(in));
  std::size_t seen = 0;
  for (; !in.empty(); ++seen) {
    TAVOLA_TRY(const std::string_view element, read_sized(in));
    TAVOLA_CHECK(check_value(element, level + 1));
  }
  if (seen != count) return fail(bad_item("list count is wrong"));
  return {};
}

Result<void> check_map(std::string_view in, std::size_t level) {
  TAVOLA_TRY(const std::size_t count, read_varint(in));
  std::size_t seen = 0;
  std::string_view previous;
  for (; !in.empty(); ++seen) {
    TAVOLA_TRY(const std::string_view name, read_sized(in));
    if (name.empty()) return fail(bad_item("empty name"));
    if (name.size() > limits::kAttributeNameBytesMax) return fail(bad_item("name is too long"));
    if (seen > 0 && name <= previous) return fail(bad_item("names are not ascending"));
    if (!is_utf8(name)) return fail(bad_item("name is not UTF-8"));
    previous = name;
    TAVOLA_TRY(const std::string_view value, read_sized(in));
    TAVOLA_CHECK(check_value(value, level + 1));
  }
  if (seen != count) return fail(bad_item("map count is wrong"));
  return {};
}

Result<void> check_set(Type element_type, std::string_view in) {
  TAVOLA_TRY(const std::size_t count, read_varint(in));
  std::size_t seen = 0;
  std::string_view previous;
  for (; !in.empty(); ++seen) {
    TAVOLA_TRY(const std::string_view element, read_sized(in));
    if (seen > 0 && element <= previous) return fail(bad_item("set elements are not ascending"));
    previous = element;
    TAVOLA_CHECK(check_scalar(element_type, element));
  }
  if (seen != count) return fail(bad_item("set count is wrong"));
  if (seen == 0) return fail(bad_item("empty set"));
  return {};
}

Result<void> check_value(std::string_view bytes, std::size_t level) {
  if (level > limits::kNestingLevelsMax) return fail(bad_item("nested deeper than 32 levels"));
  if (bytes.empty()) return fail(bad_item("value without a type"));
  const auto type = static_cast<Type>(bytes.front());
  const std::string_view payload = bytes.substr(1);
  switch (type) {
    case Type::Null:
    case Type::Bool:
    case Type::Number:
    case Type::String:
    case Type::Binary:
      return check_scalar(type, payload);
    case Type::List:
      return check_list(payload, level);
    case Type::Map:
      return check_map(payload, level);
    case Type::StringSet:
      return check_set(Type::String, payload);
    case Type::NumberSet:
      return check_set(Type::Number, payload);
    case Type::BinarySet:
      return check_set(Type::Binary, payload);
  }
  return fail(bad_item("unknown type"));
}

}  // namespace

Result<void> check_packed(std::string_view bytes) {
  if (bytes.empty()) return fail(bad_item("no bytes"));
  const auto version = static_cast<unsigned char>(bytes.front());
  if (version > kItemFormatVersion && version <= kItemFormatVersionMax) {
    return fail(Error(ErrorCode::NewerFormat, "packed item: format " + std::to_string(version) +
                                                  " was written by a newer Tavola; this one reads up to " +
                                                  std::to_string(kItemFormatVersion)));
  }
  if (version != kItemFormatVersion) return fail(bad_item("no format has this version"));
  return check_map(bytes.substr(1), 0);
}

}  // namespace tavola
