// DynamoDB JSON and packed items are two forms of the same values.
#include "wire/codec/attribute_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/test_generators.h"

namespace tavola::wire {
namespace {

using testing::HasSubstr;

// Reads {"Item": <text>}.
Result<PackedItem> read(const std::string& text, ValueLayer layer = ValueLayer::Older) {
  TAVOLA_TRY(const JsonDocument document, JsonDocument::parse("{\"Item\":" + text + "}"));
  Problems problems(layer);
  PackedItem item = read_item_or_empty(Fields(document.root(), problems), "Item");
  TAVOLA_CHECK(problems.check());
  return item;
}

std::string written(const PackedItem& item) {
  std::string text;
  append_item(text, item.view());
  return text;
}

RC_GTEST_PROP(AttributeValues, WhatIsWrittenIsReadBack, ()) {
  const PackedItem item = *pack(*arbitrary_item());
  const auto back = read(written(item));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->bytes() == item.bytes());
}

TEST(AttributeValues, AllTypesAsAwsWritesThem) {
  const std::string text =
      R"({"b":{"B":"AQID"},"bs":{"BS":["AQ==","Ag=="]},"l":{"L":[{"NULL":true},{"BOOL":false}]},"m":{"M":{"x":{"S":""}}},)"
      R"("n":{"N":"-1.5"},"ns":{"NS":["-2","1"]},"s":{"S":"a\"\\\n\u0001ü"},"ss":{"SS":["a","b"]}})";
  const auto item = read(text);
  ASSERT_TRUE(item.has_value()) << item.error().message();
  EXPECT_EQ(written(*item), text);
}

TEST(AttributeValues, OfEqualNamesTheLastCounts) {
  EXPECT_EQ(written(*read(R"({"a":{"S":"1"},"b":{"S":"x"},"a":{"S":"2"}})")),
            R"({"a":{"S":"2"},"b":{"S":"x"}})");
}

struct Refused {
  std::string text;
  ErrorCode code;
  std::string words;
};

TEST(AttributeValues, WhatIsNoValueIsRefusedInAwsWords) {
  const Refused cases[] = {
      {R"({"a":{"S":1}})", ErrorCode::Serialization, "NUMBER_VALUE cannot be converted to String"},
      {R"({"a":{"S":1.5}})", ErrorCode::Serialization, "DECIMAL_VALUE cannot be converted to String"},
      {R"({"a":{"S":{}}})", ErrorCode::Serialization, "Start of structure or map found where not expected"},
      {R"({"a":{"B":"x"}})", ErrorCode::Serialization, "expected a multiple of 4 bytes but found: 1"},
      {R"({"a":{"L":"x"}})", ErrorCode::Serialization, "Unexpected field type"},
      {R"({"a":"x"})", ErrorCode::Serialization, "Unexpected value type in payload"},
      {R"({"a":{}})", ErrorCode::Validation, "Supplied AttributeValue is empty"},
      {R"({"a":{"S":"x","N":"1"}})", ErrorCode::Validation, "more than one datatypes set"},
      {R"({"a":{"N":"x"}})", ErrorCode::Validation, "cannot be converted to a numeric value: x"},
      {R"({"a":{"NULL":false}})", ErrorCode::Validation, "must have the value of true"},
      {R"({"a":{"SS":[]}})", ErrorCode::Validation, "may not be empty"},
      {R"({"a":{"NS":["1","1.0"]}})", ErrorCode::Validation, "contains duplicates"},
      // A wrong type anywhere is reported before a bad value.
      {R"({"a":{"N":"x"},"b":{"S":true}})", ErrorCode::Serialization,
       "TRUE_VALUE cannot be converted to String"},
  };
  for (const Refused& refused : cases) {
    const auto item = read(refused.text);
    ASSERT_FALSE(item.has_value()) << refused.text;
    EXPECT_EQ(item.error().code(), refused.code) << refused.text;
    EXPECT_THAT(item.error().message(), HasSubstr(refused.words)) << refused.text;
  }
}

TEST(AttributeValues, TheLayerOfAnOperationHasItsWords) {
  const std::string invalid = "One or more parameter values were invalid: ";
  const struct {
    std::string text, older, newer;
  } cases[] = {
      {R"({"a":{"N":""}})", "The parameter cannot be converted to a numeric value",
       "The parameter cannot be converted to a numeric value: "},
      {R"({"a":{"SS":["b","a","b","d","c"]}})",
       invalid + "Input collection [b, a, b, d, c] contains duplicates.",
       invalid + R"(Input collection ["a", "b", "b", "d", "c"] contains duplicates.)"},
      {R"({"a":{"NS":["2","1","2"]}})", "Input collection contains duplicates",
       invalid + "Input collection contains duplicates."},
      {R"({"a":{"BS":["/w==","AA==","AA=="]}})",
       invalid + "Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
       invalid + R"(Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.)"},
      {R"({"a":{"SS":[]}})", invalid + "An string set  may not be empty",
       invalid + "An string set  may not be empty"},
  };
  for (const auto& [text, older, newer] : cases) {
    EXPECT_EQ(read(text, ValueLayer::Older).error().message(), older);
    EXPECT_EQ(read(text, ValueLayer::Newer).error().message(), newer);
    EXPECT_EQ(read(text, ValueLayer::NewerPrefixed).error().message(),
              "1 validation error detected: " + newer);
  }
}

TEST(AttributeValues, NestingEndsAt32Levels) {
  const auto nested = [](int levels) {
    std::string text = R"({"S":"x"})";
    for (int i = 1; i < levels; ++i) text = R"({"M":{"m":)" + text + "}}";
    return R"({"a":)" + text + "}";
  };
  EXPECT_TRUE(read(nested(32)).has_value());
  EXPECT_THAT(read(nested(33)).error().message(), HasSubstr("Nesting Levels have exceeded supported limits"));
  EXPECT_FALSE(read(nested(500)).has_value());
}

}  // namespace
}  // namespace tavola::wire
