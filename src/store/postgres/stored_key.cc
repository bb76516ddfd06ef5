#include "store/postgres/stored_key.h"

#include <array>

#include "base/digest.h"
#include "store/counters.h"
#include "store/store.h"

namespace tavola::store {
namespace {

// The types of elements of arrays: pg_type.dat of PostgreSQL, where they never change.
constexpr std::uint32_t kBool = 16;
constexpr std::uint32_t kBytea = 17;
constexpr std::uint32_t kInt8 = 20;

template <class Unsigned>
void append_big_endian(std::string& out, Unsigned value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> static_cast<unsigned>(shift)));
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

// An array: number of dimensions, whether there are nulls, type of the elements; length and first index; each element with its length.
std::string array_header(std::size_t count, bool has_nulls, std::uint32_t type) {
  std::string out;
  append_big_endian<std::uint32_t>(out, count == 0 ? 0 : 1);
  append_big_endian<std::uint32_t>(out, has_nulls ? 1 : 0);
  append_big_endian(out, type);
  if (count == 0) return out;
  append_big_endian(out, static_cast<std::uint32_t>(count));
  append_big_endian<std::uint32_t>(out, 1);
  return out;
}

void append_element(std::string& out, std::string_view bytes) {
  append_big_endian(out, static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

Error strange_answer() {
  return Error::corrupt(
      "PostgreSQL returned a value of another form than Tavola stores; was the table changed?");
}

}  // namespace

StoredKey stored_key(std::string_view key) {
  StoredKey stored{.head = key.substr(0, kIndexedKeyBytes), .rest = {}};
  if (key.size() <= kIndexedKeyBytes) return stored;
  stored.rest = key.substr(kIndexedKeyBytes);
  stored.hash = sha256({stored.rest});
  return stored;
}

std::string binary_int16(std::int16_t value) {
  std::string out;
  append_big_endian(out, static_cast<std::uint16_t>(value));
  return out;
}

std::string binary_int64(std::int64_t value) {
  std::string out;
  append_big_endian(out, static_cast<std::uint64_t>(value));
  return out;
}

std::string binary_bytes_array(std::span<const std::optional<std::string_view>> values) {
  std::string out = array_header(values.size(), true, kBytea);
  for (const auto& value : values) {
    if (value) {
      append_element(out, *value);
    } else {
      append_big_endian(out, ~std::uint32_t{0});
    }
  }
  return out;
}

std::string binary_bytes_array(std::span<const std::string_view> values) {
  std::size_t bytes = 0;
  for (const std::string_view value : values) bytes += sizeof(std::uint32_t) + value.size();
  std::string out = array_header(values.size(), false, kBytea);
  out.reserve(out.size() + bytes);
  for (const std::string_view value : values) append_element(out, value);
  return out;
}

std::string binary_int64_array(std::span<const std::int64_t> values) {
  std::string out = array_header(values.size(), false, kInt8);
  for (const std::int64_t value : values) append_element(out, binary_int64(value));
  return out;
}

std::string binary_bool_array(const std::vector<bool>& values) {
  std::string out = array_header(values.size(), false, kBool);
  for (const bool value : values) append_element(out, value ? "\1" : std::string_view("\0", 1));
  return out;
}

Result<std::int64_t> int_in(std::string_view bytes) {
  const auto value = big_endian(bytes);
  switch (bytes.size()) {
    case sizeof(std::int16_t):
      return static_cast<std::int16_t>(value);
    case sizeof(std::int32_t):
      return static_cast<std::int32_t>(value);
    case sizeof(std::int64_t):
      return static_cast<std::int64_t>(value);
    default:
      return fail(strange_answer());
  }
}

Result<std::vector<std::int64_t>> int64_array_in(std::string_view bytes) {
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  constexpr std::size_t kHeader = 3 * kWord;
  constexpr std::size_t kElement = kWord + sizeof(std::int64_t);
  if (bytes.size() < kHeader || big_endian(bytes.substr(2 * kWord, kWord)) != kInt8)
    return fail(strange_answer());
  std::vector<std::int64_t> values;
  if (big_endian(bytes.substr(0, kWord)) == 0) return values;
  bytes.remove_prefix(std::min(bytes.size(), kHeader + 2 * kWord));
  if (bytes.size() % kElement != 0) return fail(strange_answer());
  for (; !bytes.empty(); bytes.remove_prefix(kElement))
    values.push_back(static_cast<std::int64_t>(big_endian(bytes.substr(kWord, sizeof(std::int64_t)))));
  return values;
}

std::string counters_to_array(std::string_view encoded) {
  const auto counters = decode_counters(encoded, encoded.size() / sizeof(std::int64_t));
  return binary_int64_array(*counters);  // check_writes refuses other lengths
}

Result<void> add_slot(std::string& total, std::string_view array) {
  TAVOLA_TRY(const std::vector<std::int64_t> counters, int64_array_in(array));
  if (!add_counters(total, Write::add({}, counters).value)) return fail(strange_answer());
  return {};
}

}  // namespace tavola::store
