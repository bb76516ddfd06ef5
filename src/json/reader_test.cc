#include "json/reader.h"

#include <string>

#include <gtest/gtest.h>

namespace tavola::json {
namespace {

TEST(Reader, KeepsTheOrderAndThePlaces) {
  const std::string text = R"({"b": [1, "x"], "a": null})";
  const auto root = parse(text);
  ASSERT_TRUE(root);
  ASSERT_EQ(root->members.size(), 2U);
  EXPECT_EQ(root->members[0].first, "b");
  const Node& list = root->members[0].second;
  EXPECT_EQ(text.substr(list.begin, list.end - list.begin), R"([1, "x"])");
  EXPECT_EQ(list.elements[0].text, "1");
  EXPECT_EQ(root->find("a")->kind, Node::Kind::Null);
  EXPECT_EQ(root->find("c"), nullptr);
}

TEST(Reader, SaysWhereItIsWrong) {
  const std::string text = "{\"a\": 1,\n \"a\": 2}";
  const auto root = parse(text);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().what, "\"a\" is repeated here");
  EXPECT_EQ(position_of(text, root.error().at), "(2,2)");
}

TEST(Reader, TakesNoYaml) {
  for (const char* text :
       {"a: 1", "{a: 1}", "{\"a\": yes}", "[1, 2,]", "# none", "'a'", "{\"a\": 1} # one"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

TEST(Reader, BoundsTheDepth) {
  EXPECT_TRUE(parse("[[[]]]", 2));
  EXPECT_FALSE(parse("[[[]]]", 1));
  EXPECT_FALSE(parse(std::string(100'000, '[')));
}

TEST(Reader, ReadsAnObjectOfManyNames) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text.back() = '}';
  const auto root = parse(text);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->members.size(), 20'000U);
}

}  // namespace
}  // namespace tavola::json
