// The packed item, written front to back.
//
//   item    [version 01] [count] { [name size] [name] [value] } …        names ascending, none twice
//   value   [size of what follows] [tag: Type] [payload]
//
//   payload of  NULL        nothing
//               BOOL        00 or 01
//               N           ordered bytes (number_codec.cc)
//               S, B        the bytes
//               L           [count] [value] …
//               M           [count] { [name size] [name] [value] } …     names ascending, none twice
//               SS, NS, BS  [count] { [size] [payload of S, N or B] } …  ascending, none twice, never empty
//
// Sizes and counts are varints (varint.h). There is one way to write a value, so equal values are equal
// bytes. Because every value says its size, a reader steps over what it does not want without looking at it.
//
// A container's size and count are known when it ends. One byte is left for each; in the rare case that they
// need more (128 bytes or elements and up), the container's bytes move up once.
//
//   {"Year": 1965}    01 01  04 59 65 61 72  04 03 C2 27 82
#include <cstring>

#include <tavola/packed.h>

#include "base/assert.h"
#include "value/item_format.h"
#include "value/key_codec.h"
#include "value/packed_attributes.h"
#include "value/varint.h"

namespace tavola {

namespace {

// Most items fit without growing, and malloc serves such a piece from its per-thread cache (1032 bytes and
// below).
constexpr std::size_t kTypicalItemBytes = 1023;

// The start of a container's elements, with one byte each for size, tag and count before them. The item itself has the
// version in place of size and tag.
constexpr std::size_t kContainerHead = 3;
constexpr std::size_t kItemHead = 2;

// a < b. Compares the first bytes before it calls memcmp, which stalls on bytes that were just written.
bool ascending(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.front() == b.front()) return a < b;
  return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
}

// Appends `size` bytes, which `fill` writes, with one capacity check for several pieces.
template <class Fill>
void extend(std::string& bytes, std::size_t size, Fill fill) {
  const std::size_t at = bytes.size();
  // The second argument is not used: libstdc++ 12 passes the grown capacity there instead of the requested size.
  bytes.resize_and_overwrite(at + size, [&](char* data, std::size_t) {
    fill(data + at);
    return at + size;
  });
}

// Writes a size and the bytes. Returns the end of what it wrote.
inline char* write_sized(char* out, std::string_view bytes) {
  if (bytes.size() < 0x80) [[likely]] {
    *out++ = static_cast<char>(bytes.size());
  } else {
    write_varint(out, bytes.size());
    out += varint_size(bytes.size());
  }
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

}  // namespace

ItemWriter::ItemWriter() {
  bytes_.reserve(kTypicalItemBytes);
  bytes_.append(kEmptyItem);
}

// Appends a name or a set element. The ascending order makes the format canonical.
void ItemWriter::append_ascending(std::string_view bytes) {
  if (current_.last_at != 0) {
    TAVOLA_ASSERT(ascending({bytes_.data() + current_.last_at, current_.last_size}, bytes));
  }
  const std::size_t size_size = varint_size(bytes.size());
  current_.last_at = bytes_.size() + size_size;
  current_.last_size = bytes.size();
  extend(bytes_, size_size + bytes.size(), [&](char* out) { write_sized(out, bytes); });
}

void ItemWriter::name(std::string_view name) {
  TAVOLA_ASSERT(current_.type == Type::Map && !named_);
  append_ascending(name);
  named_ = true;
}

void ItemWriter::start_value() {
  TAVOLA_ASSERT(current_.type == Type::Map ? named_ : current_.type == Type::List);
  named_ = false;
  ++current_.count;
}

void ItemWriter::append_tagged(Type type, std::string_view payload) {
  start_value();
  const std::size_t size = 1 + payload.size();
  const std::size_t size_size = varint_size(size);
  extend(bytes_, size_size + size, [&](char* out) {
    write_varint(out, size);
    out[size_size] = static_cast<char>(type);
    payload.copy(out + size_size + 1, payload.size());
  });
}

void ItemWriter::null() { append_tagged(Type::Null, {}); }

void ItemWriter::boolean(bool value) {
  append_tagged(Type::Bool, value ? std::string_view("\x01", 1) : std::string_view("\x00", 1));
}

void ItemWriter::number(const Number& value) {
  start_value();
  const std::size_t start = bytes_.size();
  bytes_.push_back(0);
  bytes_.push_back(static_cast<char>(Type::Number));
  append_ordered_number(bytes_, value);
  bytes_[start] = static_cast<char>(bytes_.size() - start - 1);  // a number is at most 21 bytes
}

void ItemWriter::string(std::string_view text) { append_tagged(Type::String, text); }
void ItemWriter::binary(std::string_view bytes) { append_tagged(Type::Binary, bytes); }

void ItemWriter::value(ValueView value) {
  start_value();
  const std::size_t size_size = varint_size(value.bytes().size());
  extend(bytes_, size_size + value.bytes().size(), [&](char* out) { write_sized(out, value.bytes()); });
}

void ItemWriter::begin(Type type) {
  start_value();
  outside_.push_back(current_);
  current_ = Container{.type = type, .start = bytes_.size()};
  bytes_.append(kContainerHead, '\0');
  bytes_[current_.start + 1] = static_cast<char>(type);
}

void ItemWriter::begin_list() { begin(Type::List); }
void ItemWriter::begin_map() { begin(Type::Map); }

void ItemWriter::begin_set(Type set_type) {
  TAVOLA_ASSERT(is_set(set_type));
  begin(set_type);
}

void ItemWriter::set_element(std::string_view payload) {
  TAVOLA_ASSERT(is_set(current_.type));
  append_ascending(payload);
  ++current_.count;
}

void ItemWriter::end() {
  TAVOLA_ASSERT(!outside_.empty() && !named_);
  TAVOLA_ASSERT(!is_set(current_.type) || current_.count > 0);
  const std::size_t elements_at = current_.start + kContainerHead;
  const std::size_t count_size = varint_size(current_.count);
  const std::size_t size = 1 + count_size + (bytes_.size() - elements_at);
  const std::size_t size_size = varint_size(size);
  TAVOLA_ASSERT(size_size <= kVarintBytesMax);
  const std::size_t head = size_size + 1 + count_size;
  if (head > kContainerHead) bytes_.insert(elements_at, head - kContainerHead, '\0');
  char* const at = bytes_.data() + current_.start;
  write_varint(at, size);
  at[size_size] = static_cast<char>(current_.type);
  write_varint(at + size_size + 1, current_.count);
  current_ = outside_.back();
  outside_.pop_back();
}

PackedItem ItemWriter::finish() && {
  TAVOLA_ASSERT(outside_.empty() && !named_);
  const std::size_t count_size = varint_size(current_.count);
  if (count_size > 1) bytes_.insert(kItemHead, count_size - 1, '\0');
  write_varint(bytes_.data() + 1, current_.count);
  return PackedItem(std::move(bytes_));
}

PackedItem assembled(std::span<const MapView::Entry> attributes) {
  std::size_t size = 1 + varint_size(attributes.size());
  std::string_view last;
  for (const auto& [name, value] : attributes) {
    TAVOLA_ASSERT(ascending(last, name));
    last = name;
    const std::size_t value_bytes = value.bytes().size();
    size += varint_size(name.size()) + name.size() + varint_size(value_bytes) + value_bytes;
  }
  std::string bytes;
  extend(bytes, size, [&](char* out) {
    *out++ = kItemFormatVersion;
    write_varint(out, attributes.size());
    out += varint_size(attributes.size());
    for (const auto& [name, value] : attributes) out = write_sized(write_sized(out, name), value.bytes());
  });
  return PackedItem(std::move(bytes));
}

}  // namespace tavola
