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
#include "value/item_format.h"

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

std::size_t map_size(const MapView& map, std::size_t bytes_per_entry) {
  std::size_t size = 0;
  for (const auto& [name, value] : map) size += name.size() + value_size(value) + bytes_per_entry;
  return size;
}

std::size_t set_size(const SetView& set) {
  std::size_t size = 0;
  const bool numbers = set.element_type() == Type::Number;
  for (const std::string_view element : set) size += numbers ? number_size(element) : element.size();
  return size;
}

}  // namespace

std::size_t value_size(ValueView value) {
  constexpr std::size_t kContainerBytes = 3;
  switch (value.type()) {
    case Type::Null:
    case Type::Bool:
      return 1;
    case Type::Number:
      return number_size(value.ordered_bytes());
    case Type::String:
    case Type::Binary:
      return value.ordered_bytes().size();
    case Type::List: {
      std::size_t size = kContainerBytes;
      for (const ValueView element : value.list()) size += value_size(element) + 1;
      return size;
    }
    case Type::Map:
      return kContainerBytes + map_size(value.map(), 1);
    case Type::StringSet:
    case Type::NumberSet:
    case Type::BinarySet:
      return set_size(value.set());
  }
  assertion_failed("a packed value has one of the ten types", __FILE__, __LINE__);
}

std::size_t item_size(const ItemView& item) { return map_size(item, 0); }

}  // namespace tavola
