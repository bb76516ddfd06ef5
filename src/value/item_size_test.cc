#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tavola/packed.h>

#include "value/limits.h"
#include "value/test_generators.h"

namespace tavola {
namespace {

std::size_t size_of(const Value& value) { return value_size(*pack({{"v", value}})->find("v")); }

// --- numbers
// --------------------------------------------------------------------------------------------------

struct NumberSize {
  const char* text;
  std::size_t bytes;
};

const NumberSize kNumberSizes[] = {
    // Measured against AWS at the 400 KB gate (dynamodb-conformance, src/item-size.ts).
    {"0", 1},
    {"-0", 1},
    {"1", 2},
    {"12", 2},
    {"15", 2},
    {"123", 3},
    {"1234", 3},
    {"123456", 4},
    {"12345678901234567890123456789012345678", 20},
    {"0042", 2},
    {"100", 2},
    {"1010", 3},
    {"0.0000001", 2},
    {"1E125", 2},
    {"1E-100", 2},
    {"1.5", 3},
    {"1.2", 3},
    {"1.200", 3},
    {"1.234", 4},
    {"3.14159", 5},
    {"100.5", 4},
    {"0.15", 2},
    {"-42", 3},
    // The measured rule where pairs of digits and AWS's halves do not coincide.
    {"120", 2},
    {"1200", 2},
    {"12340", 3},
    {"0.012", 2},
    {"0.12", 2},
    {"-0.5", 3},
    {"10.01", 3},
    {"-1.5", 4},
};

TEST(NumberSize, AsMeasured) {
  for (const auto& [text, bytes] : kNumberSizes) EXPECT_EQ(size_of(*Number::parse(text)), bytes) << text;
}

// The rule applied to the text, digit by digit, as stated in item_size.cc.
std::size_t size_by_text(const Number& number) {
  if (number.is_zero()) return 1;
  std::string text = number.to_string();
  if (number.is_negative()) text.erase(0, 1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string whole = text.substr(0, point);
  std::string fraction = point < text.size() ? text.substr(point + 1) : "";
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  if (fraction.empty()) whole.erase(whole.find_last_not_of('0') + 1);
  if (whole.empty()) fraction.erase(0, fraction.find_first_not_of('0'));
  return 1 + (whole.size() + 1) / 2 + (fraction.size() + 1) / 2 + (number.is_negative() ? 1 : 0);
}

RC_GTEST_PROP(NumberSizeProperty, IsTheRuleOverTheText, ()) {
  const Number number = *arbitrary_number();
  RC_ASSERT(size_of(number) == size_by_text(number));
}

// --- all types
// ------------------------------------------------------------------------------------------------

struct ValueSize {
  Value value;
  std::size_t bytes;
};

TEST(ValueSize, ByTheRule) {
  const ValueSize cases[] = {
      {Null(), 1},
      {true, 1},
      {false, 1},
      {"", 0},
      {"abc", 3},
      {"é€𝄞", 9},
      {Binary{"12345"}, 5},
      {List{}, 3},
      {Map{}, 3},
      {List{"aa", "b"}, 3 + (2 + 1) + (1 + 1)},
      {List{Value(List{})}, 3 + (3 + 1)},
      {Map{{"key", "aa"}}, 3 + (3 + 2 + 1)},
      {Map{{"m", Map{{"n", Null()}}}}, 3 + (1 + (3 + (1 + 1 + 1)) + 1)},
      {*StringSet::of({"a", "bcd"}), 4},
      {*NumberSet::of({1, 1234, -5}), 2 + 3 + 3},
      {*BinarySet::of({Binary{"ab"}, Binary{"c"}}), 3},
  };
  for (const auto& [value, bytes] : cases) EXPECT_EQ(size_of(value), bytes) << to_json(value);
}

TEST(ItemSize, IsNamesAndValues) {
  EXPECT_EQ(item_size(ItemView()), 0U);
  EXPECT_EQ(item_size(pack({{"pk", "user"}, {"né", 1965}})->view()), (2 + 4) + (3 + 3));
}

// 500 two-byte strings in a list crossed from one write unit into the second (ExtendDB pull request 217).
TEST(ItemSize, ListElementsCount) {
  const std::size_t size = item_size(pack({{"pk", "p"}, {"l", List(500, "aa")}})->view());
  EXPECT_EQ(size, 3U + 1 + 3 + 500 * 3);
  EXPECT_GT(size, limits::kWriteUnitBytes);
}

// Checks of the limit of an item rely on it (engine/write/item_write.cc).
RC_GTEST_PROP(ItemSize, IsNeverAboveThatOfThePackedBytes, ()) {
  const PackedItem item = *pack(*arbitrary_item());
  RC_ASSERT(item_size(item.view()) <= item.bytes().size());
}

}  // namespace
}  // namespace tavola
