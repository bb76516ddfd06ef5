// The size DynamoDB charges for an item, in bytes:
//
//   item         names as UTF-8 plus values
//   S, B         their bytes
//   NULL, BOOL   1
//   N            1 + ⌈digits before the point / 2⌉ + ⌈digits after it / 2⌉, + 1 when negative; 0 costs 1.
//                Only significant digits count: from the first digit that is not 0 to the last.
//   L            3 + each element + 1
//   M            3 + each name and value + 1
//   SS, NS, BS   their elements, nothing more
//
// The Developer Guide ("DynamoDB Item sizes and formats") gives all but N exactly, and N only
// "approximately". N was measured to the byte at the 400 KB gate (dynoxide pull request 195, table in
// dynamodb-conformance src/item-size.ts); element and entry bytes of L and M, and their absence in sets, were
// measured too (ExtendDB pull request 217). item_size_test.cc holds the measured cases.
#include <tavola/packed.h>

#include "base/assert.h"
#include "value/varint.h"

namespace tavola {

namespace {

// Reads the cost off the ordered bytes (number_codec.cc): pairs of digits, aligned at the decimal point as
// AWS counts them. Only when all digits are on one side of the point may both end pairs be half ones that AWS
// would count as one.
std::size_t number_size(std::string_view ordered) {
  TAVOLA_ASSERT(ordered.size() >= 2);
  const unsigned flip = static_cast<unsigned char>(ordered.front()) < 0x80 ? 0xFF : 0;
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(ordered[index]) ^ flip; };
  const std::size_t pairs = ordered.size() - 1;
  const unsigned first = byte(1) / 2;
  const unsigned last = byte(pairs) / 2;
  if (first == 0) return 1;  // zero
  const int exponent = static_cast<int>(byte(0)) - 0x80 - 64;
  const bool straddles_point = exponent > 0 && static_cast<std::size_t>(exponent) < pairs;
  const bool two_halves = pairs > 1 && first < 10 && last % 10 == 0;
  return 1 + pairs - (two_halves && !straddles_point ? 1 : 0) + (flip != 0 ? 1 : 0);
}

// These read the payloads themselves, in one pass: every write and every item of a page is measured.
std::size_t map_size(std::string_view payload, std::size_t bytes_per_entry) {
  std::size_t size = take_varint(payload) * bytes_per_entry;
  while (!payload.empty()) {
    size += take_sized(payload).size();
    size += value_size(ValueView(take_sized(payload)));
  }
  return size;
}

std::size_t list_size(std::string_view payload) {
  std::size_t size = take_varint(payload);
  while (!payload.empty()) size += value_size(ValueView(take_sized(payload)));
  return size;
}

std::size_t set_size(Type type, std::string_view payload) {
  std::size_t size = 0;
  take_varint(payload);
  while (!payload.empty()) {
    const std::string_view element = take_sized(payload);
    size += type == Type::NumberSet ? number_size(element) : element.size();
  }
  return size;
}

}  // namespace

std::size_t value_size(ValueView value) {
  constexpr std::size_t kContainerBytes = 3;
  TAVOLA_ASSERT(!value.bytes().empty());
  const std::string_view payload = value.bytes().substr(1);
  switch (value.type()) {
    case Type::Null:
    case Type::Bool:
      return 1;
    case Type::Number:
      return number_size(payload);
    case Type::String:
    case Type::Binary:
      return payload.size();
    case Type::List:
      return kContainerBytes + list_size(payload);
    case Type::Map:
      return kContainerBytes + map_size(payload, 1);
    case Type::StringSet:
    case Type::NumberSet:
    case Type::BinarySet:
      return set_size(value.type(), payload);
  }
  assertion_failed("a packed value has one of the ten types", __FILE__, __LINE__);
}

std::size_t item_size(const ItemView& item) { return map_size(item.bytes().substr(1), 0); }

}  // namespace tavola
