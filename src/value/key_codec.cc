// One part of a key, by type. Parts are joined without anything between them.
//
//   S, B   [bytes, each 00 written as 00 FF] [00 00]
//   N      the number's ordered bytes (number_codec.cc)
//
// 00 00 is less than 00 FF and than every other byte, so a string that is a prefix of another sorts first,
// whatever part follows it.
#include "value/key_codec.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace tavola {

namespace {

constexpr char kEscapedZero = '\xFF';  // after a 00: the byte 00 itself
constexpr char kEnd = '\x00';          // after a 00: the end of the part

Error bad_part(const char* reason) { return Error::corrupt(std::string("key part: ") + reason); }

// Where the part that starts `in` ends (one past its 00 00), and whether it holds an escaped 00.
struct PartExtent {
  std::size_t size;
  bool escaped;
};

Result<PartExtent> find_end(std::string_view in) {
  bool escaped = false;
  for (std::size_t zero = in.find('\0'); zero != std::string_view::npos; zero = in.find('\0', zero + 2)) {
    if (zero + 1 == in.size()) break;
    if (in[zero + 1] == kEnd) return PartExtent{zero + 2, escaped};
    if (in[zero + 1] != kEscapedZero) return fail(bad_part("bad escape"));
    escaped = true;
  }
  return fail(bad_part("unfinished"));
}

std::string unescape(std::string_view escaped) {
  std::string bytes;
  bytes.reserve(escaped.size());
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    bytes.push_back(escaped[i]);
    if (escaped[i] == '\0') ++i;  // find_end saw that FF follows
  }
  return bytes;
}

template <class Unsigned>
void append_big_endian(std::string& out, Unsigned value) {
  if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
  std::array<char, sizeof(Unsigned)> bytes;
  std::memcpy(bytes.data(), &value, bytes.size());
  out.append(bytes.data(), bytes.size());
}

template <class Unsigned>
Result<Unsigned> read_big_endian(std::string_view& in) {
  if (in.size() < sizeof(Unsigned)) return fail(Error::corrupt("key integer: too short"));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) value = value << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(sizeof(Unsigned));
  return static_cast<Unsigned>(value);
}

}  // namespace

void append_key_part(std::string& out, ValueView value) {
  if (value.type() == Type::Number) {
    out.append(value.ordered_bytes());
    return;
  }
  append_key_prefix(out, value.ordered_bytes());
  out.append({'\0', kEnd});
}

void append_key_prefix(std::string& out, std::string_view prefix) {
  for (std::size_t zero = prefix.find('\0'); zero != std::string_view::npos; zero = prefix.find('\0')) {
    out.append(prefix.substr(0, zero + 1)).push_back(kEscapedZero);
    prefix.remove_prefix(zero + 1);
  }
  out.append(prefix);
}

Result<void> read_key_part(std::string_view& in, Type type, ItemWriter& writer) {
  if (type == Type::Number) {
    TAVOLA_TRY(const Number number, read_ordered_number(in));
    writer.number(number);
    return {};
  }
  TAVOLA_ASSERT(type == Type::String || type == Type::Binary);
  TAVOLA_TRY(const PartExtent extent, find_end(in));
  const std::string_view escaped = in.substr(0, extent.size - 2);
  const std::string unescaped = extent.escaped ? unescape(escaped) : std::string();
  const std::string_view bytes = extent.escaped ? std::string_view(unescaped) : escaped;
  if (type == Type::String) {
    writer.string(bytes);
  } else {
    writer.binary(bytes);
  }
  in.remove_prefix(extent.size);
  return {};
}

Result<void> skip_key_part(std::string_view& in, Type type) {
  if (type == Type::Number) {
    TAVOLA_CHECK(read_ordered_number(in));
    return {};
  }
  TAVOLA_ASSERT(type == Type::String || type == Type::Binary);
  TAVOLA_TRY(const PartExtent extent, find_end(in));
  in.remove_prefix(extent.size);
  return {};
}

void append_ordered_u16(std::string& out, std::uint16_t value) { append_big_endian(out, value); }
void append_ordered_u32(std::string& out, std::uint32_t value) { append_big_endian(out, value); }
void append_ordered_u64(std::string& out, std::uint64_t value) { append_big_endian(out, value); }
Result<std::uint16_t> read_ordered_u16(std::string_view& in) { return read_big_endian<std::uint16_t>(in); }
Result<std::uint32_t> read_ordered_u32(std::string_view& in) { return read_big_endian<std::uint32_t>(in); }
Result<std::uint64_t> read_ordered_u64(std::string_view& in) { return read_big_endian<std::uint64_t>(in); }

std::string prefix_successor(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

}  // namespace tavola
