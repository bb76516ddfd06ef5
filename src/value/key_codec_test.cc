#include "value/key_codec.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/encoding.h"
#include "value/test_generators.h"

namespace tavola {
namespace {

std::string encoded(const Number& number) {
  std::string bytes;
  append_ordered_number(bytes, number);
  return bytes;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

// A packed value of a type that keys may have.
class KeyValue {
 public:
  explicit KeyValue(Value value) : value_(std::move(value)), item_(*pack({{"v", value_}})) {}
  const Value& value() const { return value_; }
  ValueView view() const { return *item_.find("v"); }

 private:
  Value value_;
  PackedItem item_;
};

std::string key_part(const Value& value) {
  std::string bytes;
  append_key_part(bytes, KeyValue(value).view());
  return bytes;
}

Value read_back(std::string_view& in, Type type) {
  ItemWriter writer;
  writer.name("v");
  const Result<void> read = read_key_part(in, type, writer);
  EXPECT_TRUE(read.has_value());
  return std::move(writer).finish().find("v")->unpack();
}

Type key_type(Dice& dice) {
  constexpr Type kTypes[] = {Type::String, Type::Number, Type::Binary};
  return kTypes[dice.below(3)];
}

Value key_value(Dice& dice, Type type) {
  switch (type) {
    case Type::Number:
      return dice.number();
    case Type::String:
      return dice.text();
    default:
      return Binary{dice.bytes()};
  }
}

std::strong_ordering compare(const Value& a, const Value& b) {
  switch (a.type()) {
    case Type::Number:
      return a.number() <=> b.number();
    case Type::String:
      return a.string() <=> b.string();
    default:
      return a.binary() <=> b.binary();
  }
}

// --- numbers
// --------------------------------------------------------------------------------------------------

struct NumberBytes {
  std::string number;
  std::string hex;
};

// Bytes that are on disk: a change here is a change of format.
const NumberBytes kPinned[] = {
    {"0", "8000"},
    {"1", "c102"},
    {"-1", "3efd"},
    {"99", "c1c6"},
    {"100", "c202"},
    {"1965", "c22782"},
    {"0.5", "c064"},
    {"-0.05", "3ff5"},
    {"1.5", "c10364"},
    {"10", "c114"},
    {"1E-130", "8002"},
    {"-1E-130", "7ffd"},
    {"1E125", "ff14"},
    {"-1E125", "00eb"},
    {std::string(38, '9'), "d3" + repeated("c7", 18) + "c6"},
    {"12345678901234567890.123456789012345678", "ca1945719db51945719db51945719db51945719c"},
};

TEST(NumberCodec, BytesArePinned) {
  for (const auto& [text, hex] : kPinned) {
    SCOPED_TRACE(text);
    const Number number = *Number::parse(text);
    EXPECT_EQ(to_hex(encoded(number)), hex);
    const std::string bytes = *from_hex(hex);
    std::string_view in = bytes;
    EXPECT_EQ(*read_ordered_number(in), number);
    EXPECT_TRUE(in.empty());
  }
}

TEST(NumberCodec, RefusesWhatTheEncoderNeverWrites) {
  const std::vector<std::string> refused = {
      "",
      "c1",
      "80",  // too short
      "c103",
      "c127",
      "3efc",  // another pair should follow
      "c1c8",
      "c1ff",
      "3e36",  // a pair above 99
      "c10164",
      "c100",
      "800102",  // begins with a zero pair
      "c10300",
      "7fff",                              // ends with a zero pair; a negative zero
      "d403" + repeated("c7", 18) + "c6",  // 39 digits
  };
  for (const std::string& hex : refused) {
    const std::string bytes = *from_hex(hex);
    std::string_view in = bytes;
    const Result<Number> number = read_ordered_number(in);
    ASSERT_FALSE(number.has_value()) << hex << " read as " << number->to_string();
    EXPECT_EQ(number.error().code(), ErrorCode::Corrupt);
    EXPECT_EQ(in, bytes) << "a failed read consumes nothing";
  }
}

TEST(NumberCodec, IsCompact) {
  EXPECT_EQ(encoded(7).size(), 2U);
  EXPECT_EQ(encoded(1'000'000).size(), 2U);
  EXPECT_EQ(encoded(1965).size(), 3U);
  EXPECT_EQ(encoded(1'700'000'000'123).size(), 8U);
  EXPECT_LE(encoded(*Number::parse("-1." + std::string(37, '9'))).size(), 21U);
}

RC_GTEST_PROP(NumberCodecProperty, DecodesWhatItEncoded, ()) {
  const Number number = *arbitrary_number();
  const std::string bytes = encoded(number) + *arbitrary_bytes();
  std::string_view in = bytes;
  RC_ASSERT(*read_ordered_number(in) == number);
  RC_ASSERT(in.size() == bytes.size() - encoded(number).size());
}

RC_GTEST_PROP(NumberCodecProperty, BytesSayWhetherItIsAnInteger, ()) {
  const Number number = *arbitrary_number();
  RC_ASSERT(is_ordered_integer(encoded(number)) == number.is_integer());
  RC_ASSERT(is_ordered_integer(encoded(number.floor())));
}

RC_GTEST_PROP(NumberCodecProperty, ByteOrderIsNumericOrder, ()) {
  const Number a = *arbitrary_number();
  const Number b = *arbitrary_number();
  RC_ASSERT((encoded(a) <=> encoded(b)) == (a <=> b));
  // Neighbours, which differ in their last digits only.
  if (const Result<Number> near = a + *Number::parse("1E-20")) RC_ASSERT(encoded(a) < encoded(*near));
}

// Bytes that decode also encode to themselves: each number has one form.
RC_GTEST_PROP(NumberCodecProperty, AnyBytesAreRefusedOrCanonical, ()) {
  const std::string bytes = *arbitrary_bytes();
  std::string_view in = bytes;
  if (const Result<Number> number = read_ordered_number(in)) {
    RC_ASSERT(encoded(*number) == bytes.substr(0, bytes.size() - in.size()));
    RC_ASSERT(*Number::parse(number->to_string()) == *number);
  } else {
    RC_ASSERT(number.error().code() == ErrorCode::Corrupt);
  }
}

// --- parts
// ----------------------------------------------------------------------------------------------------

TEST(KeyCodec, PartBytesArePinned) {
  EXPECT_EQ(to_hex(key_part("ab")), "61620000");
  EXPECT_EQ(to_hex(key_part("")), "0000");
  EXPECT_EQ(to_hex(key_part(Binary{std::string("\x00\xFF", 2)})), "00ffff0000");
  EXPECT_EQ(to_hex(key_part(1965)), "c22782");
}

RC_GTEST_PROP(KeyCodecProperty, PartsReadBackAndSkip, ()) {
  Dice dice = *arbitrary_dice();
  std::vector<Value> values;
  std::string bytes;
  for (std::size_t left = dice.below(5); left > 0; --left) {
    values.push_back(key_value(dice, key_type(dice)));
    bytes += key_part(values.back());
  }
  std::string_view reading = bytes;
  std::string_view skipping = bytes;
  for (const Value& value : values) {
    RC_ASSERT(read_back(reading, value.type()) == value);
    RC_ASSERT(skip_key_part(skipping, value.type()).has_value());
    RC_ASSERT(reading == skipping);
  }
  RC_ASSERT(reading.empty());
}

// Joined parts order as the tuples of their values do: multi-attribute keys, and index key before table key.
RC_GTEST_PROP(KeyCodecProperty, ByteOrderIsTheOrderOfTheParts, ()) {
  Dice dice = *arbitrary_dice();
  std::strong_ordering order = std::strong_ordering::equal;
  std::string a_bytes;
  std::string b_bytes;
  for (std::size_t left = 1 + dice.below(5); left > 0; --left) {
    const Type type = key_type(dice);
    const Value a = key_value(dice, type);
    const Value b = dice.below(3) > 0 ? a : key_value(dice, type);
    if (order == std::strong_ordering::equal) order = compare(a, b);
    a_bytes += key_part(a);
    b_bytes += key_part(b);
  }
  RC_ASSERT((a_bytes <=> b_bytes) == order);
}

RC_GTEST_PROP(KeyCodecProperty, PrefixHelperMatchesExactlyTheStringsThatBeginWithIt, ()) {
  const std::string prefix = *arbitrary_bytes();
  Dice dice = *arbitrary_dice();
  const std::string bytes = (dice.coin() ? prefix : "") + dice.bytes();
  std::string encoded_prefix;
  append_key_prefix(encoded_prefix, prefix);
  const std::string part = key_part(Binary{bytes});
  RC_ASSERT(part.starts_with(encoded_prefix) == bytes.starts_with(prefix));
  const std::string successor = prefix_successor(encoded_prefix);
  const bool in_range = part >= encoded_prefix && (successor.empty() || part < successor);
  RC_ASSERT(in_range == bytes.starts_with(prefix));
}

RC_GTEST_PROP(KeyCodecProperty, AnyBytesAreReadOrRefused, ()) {
  const std::string bytes = *arbitrary_bytes();
  for (const Type type : {Type::String, Type::Number, Type::Binary}) {
    std::string_view reading = bytes;
    std::string_view skipping = bytes;
    ItemWriter writer;
    writer.name("v");
    const Result<void> read = read_key_part(reading, type, writer);
    RC_ASSERT(skip_key_part(skipping, type).has_value() == read.has_value());
    RC_ASSERT(reading == skipping);
    if (!read) {
      RC_ASSERT(read.error().code() == ErrorCode::Corrupt);
      RC_ASSERT(reading == bytes);
      continue;
    }
    const PackedItem item = std::move(writer).finish();
    std::string again;
    append_key_part(again, *item.find("v"));
    RC_ASSERT(again == bytes.substr(0, bytes.size() - reading.size()));
  }
}

TEST(KeyCodec, RefusesUnfinishedAndBadlyEscapedStrings) {
  for (const char* const hex : {"", "61", "6100", "00", "00ff", "000100", "61000200"}) {
    const std::string bytes = *from_hex(hex);
    std::string_view in = bytes;
    const Result<void> skipped = skip_key_part(in, Type::String);
    ASSERT_FALSE(skipped.has_value()) << hex;
    EXPECT_EQ(skipped.error().code(), ErrorCode::Corrupt);
  }
}

TEST(KeyCodec, PrefixSuccessor) {
  EXPECT_EQ(prefix_successor("ab"), "ac");
  EXPECT_EQ(prefix_successor("a\xFF"), "b");
  EXPECT_EQ(prefix_successor("\x7F"), "\x80");
  EXPECT_EQ(prefix_successor("\xFF\xFF"), "");
  EXPECT_EQ(prefix_successor(""), "");
}

// --- integers
// -------------------------------------------------------------------------------------------------

template <class Unsigned, auto Append, auto Read>
void check_integer() {
  const auto encode = [](Unsigned value) {
    std::string bytes;
    Append(bytes, value);
    return bytes;
  };
  Dice dice = *arbitrary_dice();
  const auto a = static_cast<Unsigned>(dice.bits());
  const auto b = static_cast<Unsigned>(dice.coin() ? dice.bits() : a + dice.below(1000));
  RC_ASSERT(encode(a).size() == sizeof(Unsigned));
  RC_ASSERT((encode(a) <=> encode(b)) == (a <=> b));
  const std::string bytes = encode(a) + "rest";
  std::string_view in = bytes;
  RC_ASSERT(*Read(in) == a);
  RC_ASSERT(in == "rest");
  std::string_view cut = std::string_view(bytes).substr(0, sizeof(Unsigned) - 1);
  RC_ASSERT(Read(cut).error().code() == ErrorCode::Corrupt);
}

RC_GTEST_PROP(OrderedIntegerProperty, U16, ()) {
  check_integer<std::uint16_t, append_ordered_u16, read_ordered_u16>();
}
RC_GTEST_PROP(OrderedIntegerProperty, U32, ()) {
  check_integer<std::uint32_t, append_ordered_u32, read_ordered_u32>();
}
RC_GTEST_PROP(OrderedIntegerProperty, U64, ()) {
  check_integer<std::uint64_t, append_ordered_u64, read_ordered_u64>();
}

TEST(OrderedInteger, BytesArePinned) {
  std::string bytes;
  append_ordered_u16(bytes, 0x0102);
  append_ordered_u32(bytes, 0x03040506);
  append_ordered_u64(bytes, 0x0708090A0B0C0D0E);
  EXPECT_EQ(to_hex(bytes), "0102030405060708090a0b0c0d0e");
}

}  // namespace
}  // namespace tavola
