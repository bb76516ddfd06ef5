#include <gtest/gtest.h>

#include <tavola/value.h>

#include "value/item_format.h"

namespace tavola {
namespace {

TEST(Value, KnowsItsType) {
  EXPECT_EQ(Value().type(), Type::Null);
  EXPECT_EQ(Value(true).type(), Type::Bool);
  EXPECT_EQ(Value(7).type(), Type::Number);
  EXPECT_EQ(Value(std::uint8_t{7}).type(), Type::Number);
  EXPECT_EQ(Value("text").type(), Type::String);
  EXPECT_EQ(Value(std::string_view("text")).type(), Type::String);
  EXPECT_EQ(Value(Binary{"x"}).type(), Type::Binary);
  EXPECT_EQ(Value(List{1, "a"}).type(), Type::List);
  EXPECT_EQ(Value(Map{{"a", 1}}).type(), Type::Map);
  EXPECT_EQ(Value(*StringSet::of({"a"})).type(), Type::StringSet);
  EXPECT_EQ(Value(*NumberSet::of({1})).type(), Type::NumberSet);
  EXPECT_EQ(Value(*BinarySet::of({Binary{"a"}})).type(), Type::BinarySet);
}

// A std::string made from a null pointer would throw.
TEST(Value, ANullPointerIsNull) {
  const Item item{{"x", nullptr}};
  EXPECT_TRUE(item.at("x").is_null());
  const char* nothing = nullptr;
  EXPECT_TRUE(Value(nothing).is_null());
}

TEST(Value, TypeNamesAreDynamoDbs) {
  std::string names;
  for (int type = 1; type <= 10; ++type) names.append(type_name(static_cast<Type>(type))).append(" ");
  EXPECT_EQ(names, "NULL BOOL N S B L M SS NS BS ");
}

TEST(Value, ItemsReadWell) {
  Item song{{"Artist", "Nina"}, {"Year", 1965}, {"Price", 9.99_n}};
  song["Rating"] = 5;
  EXPECT_EQ(song.at("Artist").string(), "Nina");
  EXPECT_EQ(song.at("Rating").number(), Number(5));
  EXPECT_EQ(song, (Item{{"Price", 9.99_n}, {"Artist", "Nina"}, {"Rating", 5}, {"Year", 1965}}));
  EXPECT_THROW((void)song.at("Artist").number(), std::bad_variant_access);
}

TEST(Value, EqualityIsOfTypeAndValue) {
  EXPECT_EQ(Value(5), Value(*Number::parse("5.0")));
  EXPECT_NE(Value(5), Value("5"));
  EXPECT_NE(Value("a"), Value(Binary{"a"}));
  EXPECT_EQ(Value(*StringSet::of({"b", "a"})), Value(*StringSet::of({"a", "b"})));
  EXPECT_NE(Value(List{1, 2}), Value(List{2, 1}));
}

// --- sets
// -----------------------------------------------------------------------------------------------------

TEST(Set, IsSortedAndKnowsItsElements) {
  const NumberSet numbers = *NumberSet::of({10, 9, -1});
  EXPECT_EQ(numbers.elements(), (std::vector<Number>{-1, 9, 10}));
  EXPECT_TRUE(numbers.contains(9));
  EXPECT_FALSE(numbers.contains(8));
  EXPECT_EQ(numbers.size(), 3U);
}

TEST(Set, BinaryIsSortedAsUnsignedBytes) {
  EXPECT_EQ(BinarySet::of({Binary{"\xFF"}, Binary{"\x01"}})->elements().front(), Binary{"\x01"});
}

// AWS's words: dynamodb-conformance emptyValues.test.ts, dynalite validations.
TEST(Set, RefusesEmptiness) {
  EXPECT_EQ(StringSet::of({}).error().message(),
            "One or more parameter values were invalid: An string set  may not be empty");
  EXPECT_EQ(NumberSet::of({}).error().message(),
            "One or more parameter values were invalid: An number set  may not be empty");
  EXPECT_EQ(BinarySet::of({}).error().message(),
            "One or more parameter values were invalid: Binary sets should not be empty");
  EXPECT_EQ(StringSet::of({}).error().code(), ErrorCode::Validation);
}

TEST(Set, RefusesDuplicatesAndNamesThemAsGiven) {
  EXPECT_EQ(StringSet::of({"b", "a", "b"}).error().message(),
            "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.");
  EXPECT_EQ(StringSet::of({"a", "a"}).error().message(),
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.");
  EXPECT_EQ(NumberSet::of({1, *Number::parse("1.0")}).error().message(),
            "Input collection contains duplicates");
  EXPECT_EQ(BinarySet::of({Binary{"b"}, Binary{"b"}}).error().message(),
            "One or more parameter values were invalid: Input collection [Yg==, Yg==]of type BS contains "
            "duplicates.");
}

// --- JSON
// -----------------------------------------------------------------------------------------------------

TEST(ToJson, AllTypes) {
  EXPECT_EQ(to_json(Item{{"b", Binary{std::string("\x00\xFF", 2)}},
                         {"bs", *BinarySet::of({Binary{"b"}, Binary{"a"}})},
                         {"f", false},
                         {"l", List{1, "x", List{}}},
                         {"m", Map{{"k", Null()}}},
                         {"n", -0.5_n},
                         {"ns", *NumberSet::of({2, 1})},
                         {"s", "é"},
                         {"ss", *StringSet::of({"y", "x"})},
                         {"t", true}}),
            R"({"b":{"B":"AP8="},"bs":{"BS":["YQ==","Yg=="]},"f":{"BOOL":false},)"
            R"("l":{"L":[{"N":"1"},{"S":"x"},{"L":[]}]},"m":{"M":{"k":{"NULL":true}}},"n":{"N":"-0.5"},)"
            R"("ns":{"NS":["1","2"]},"s":{"S":"é"},"ss":{"SS":["x","y"]},"t":{"BOOL":true}})");
  EXPECT_EQ(to_json(Item{}), "{}");
}

TEST(ToJson, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(to_json(Value(std::string("\"\\\n\r\t\0\x1F\x7F/", 9))),
            "{\"S\":\"\\\"\\\\\\n\\r\\t\\u0000\\u001f\x7F/\"}");
  EXPECT_EQ(to_json(Item{{"a\"b", 1}}), R"({"a\"b":{"N":"1"}})");
}

}  // namespace
}  // namespace tavola
