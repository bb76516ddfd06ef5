#include "wire/codec/fields.h"

#include <string>

#include <gtest/gtest.h>

namespace tavola::wire {
namespace {

TEST(TableInArn, IsTheNameOfATableAlone) {
  EXPECT_EQ(table_in_arn("arn:aws:dynamodb:local:000000000000:table/things"), "things");
  EXPECT_EQ(table_in_arn("arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/a.b_c-9"), "a.b_c-9");
  for (const std::string_view other : {
           "things",
           "arn:aws:dynamodb",
           "arn:aws:dynamodb::000000000000:table/things",
           "arn:aws:dynamodb:local:00000000000x:table/things",
           "arn:aws:dynamodb:local:0000:table/things",
           "arn:aws:dynamodb:local:000000000000:things",
           "arn:aws:dynamodb:local:000000000000:table/",
           "arn:aws:dynamodb:local:000000000000:table/ab",
           "arn:aws:dynamodb:local:000000000000:table/things/index/byX",
           "arn:aws:s3:local:000000000000:table/things",
           "arn:AWS:dynamodb:local:000000000000:table/things",
           "x:arn:aws:dynamodb:local:000000000000:table/things",
       }) {
    EXPECT_EQ(table_in_arn(other), other);
  }
}

// "[{},{},…]"
std::string list_of_structures(std::size_t count) {
  std::string text = "[{}";
  for (std::size_t i = 1; i < count; ++i) text += ",{}";
  return text + "]";
}

TEST(Fields, NoListHasMoreElementsThanAnItemAttributes) {
  for (const std::size_t count : {kElementsMax, kElementsMax + 1}) {
    const auto document = JsonDocument::parse("{\"Tags\":" + list_of_structures(count) + "}");
    ASSERT_TRUE(document.has_value());
    Problems problems;
    const auto list = Fields(document->root(), problems).list("Tags");
    EXPECT_EQ(list.has_value(), count == kElementsMax);
    EXPECT_EQ(problems.check().has_value(), count == kElementsMax);
  }
}

TEST(Fields, OfEqualNamesInAMapTheLastCounts) {
  const auto document = JsonDocument::parse(R"({"M":{"a":{"x":1},"b":{},"a":{"x":2}}})");
  ASSERT_TRUE(document.has_value());
  Problems problems;
  const auto map = Fields(document->root(), problems).structure_map("M", "T");
  ASSERT_EQ(map->size(), 2U);
  EXPECT_EQ((*map)[0].first, "b");
  EXPECT_EQ((*map)[1].second.integer("x", kInteger), 2);
}

}  // namespace
}  // namespace tavola::wire
