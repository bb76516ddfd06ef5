// varint and sized bytes, the building blocks of the packed format. The readers here are for bytes that Tavola wrote: a
// malformed byte is a broken invariant and stops the process. check_packed.cc reads bytes of unknown origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace tavola {

// varint: seven bits per byte, lowest first; the high bit says that another byte follows. Always the shortest form.
inline constexpr std::size_t kVarintBytesMax = 5;  // below 2^35; an item is far smaller

constexpr std::size_t varint_size(std::size_t value) {
  std::size_t bytes = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++bytes;
  }
  return bytes;
}

// Writes varint_size(value) bytes to `out`.
inline void write_varint(char* out, std::size_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out = static_cast<char>(value);
}

inline void append_varint(std::string& out, std::size_t value) {
  if (value < 0x80) [[likely]] {
    out.push_back(static_cast<char>(value));
    return;
  }
  char bytes[kVarintBytesMax];
  const std::size_t size = varint_size(value);
  TAVOLA_ASSERT(size <= kVarintBytesMax);
  write_varint(bytes, value);
  out.append(bytes, size);
}

struct ReadVarint {
  std::size_t value;
  std::size_t bytes;
};

// Reads a varint of any length at the front of `in`. Not inlined, so that take_varint is small enough to be; passes values, so
// that its caller keeps `in` in registers.
[[gnu::noinline]] inline ReadVarint read_long_varint(std::string_view in) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < kVarintBytesMax; ++i) {
    TAVOLA_ASSERT(i < in.size());
    const auto byte = static_cast<unsigned char>(in[i]);
    value |= static_cast<std::size_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) return {value, i + 1};
  }
  assertion_failed("varint is at most five bytes", __FILE__, __LINE__);
}

// Takes a varint off the front of `in`.
inline std::size_t take_varint(std::string_view& in) {
  TAVOLA_ASSERT(!in.empty());
  const auto first = static_cast<unsigned char>(in.front());
  const ReadVarint read = first < 0x80 ? ReadVarint{first, 1} : read_long_varint(in);
  in.remove_prefix(read.bytes);
  return read.value;
}

// Takes `size` bytes off the front of `in`.
inline std::string_view take_bytes(std::string_view& in, std::size_t size) {
  TAVOLA_ASSERT(size <= in.size());
  const std::string_view taken = in.substr(0, size);
  in.remove_prefix(size);
  return taken;
}

// Takes a length and that many bytes off the front of `in`.
inline std::string_view take_sized(std::string_view& in) {
  const std::size_t size = take_varint(in);
  return take_bytes(in, size);
}

}  // namespace tavola
