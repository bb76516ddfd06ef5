// Types by their names.
#include "design/model/attribute_type.h"

#include <gtest/gtest.h>

namespace tavola::design {
namespace {

TEST(AttributeType, IsReadAndWritten) {
  for (const std::string& name : type_names()) {
    const auto type = parse_type(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type_text(*type), name == "timestamp(iso8601)" ? "timestamp" : name);
    EXPECT_EQ(stored_type(*type).has_value(), name != "any") << name;
  }
  EXPECT_EQ(type_text(parse_type("list<list<map>>").value()), "list<list<map>>");
  EXPECT_EQ(type_text(parse_type("set<timestamp(epoch_s)>").value()), "set<timestamp(epoch_s)>");
}

TEST(AttributeType, IsNothingElse) {
  for (const char* text : {"", "String", "text", "list", "list<>", "list<x>", "set<map>", "set<list<string>>",
                           "set<boolean>", "set<any>", "timestamp()", "hash", "list<string", "string>"}) {
    EXPECT_EQ(parse_type(text), std::nullopt) << text;
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "list<";
  deep += "string" + std::string(100'000, '>');
  EXPECT_EQ(parse_type(deep), std::nullopt);
}

TEST(AttributeType, IsStoredAs) {
  for (const auto& [text, stored] : std::vector<std::pair<const char*, Type>>{
           {"string", Type::String},
           {"uuid", Type::String},
           {"timestamp", Type::String},
           {"timestamp(epoch_ms)", Type::Number},
           {"integer", Type::Number},
           {"boolean", Type::Bool},
           {"binary", Type::Binary},
           {"map", Type::Map},
           {"list<integer>", Type::List},
           {"set<integer>", Type::NumberSet},
           {"set<binary>", Type::BinarySet},
           {"set<date>", Type::StringSet},
       }) {
    EXPECT_EQ(stored_type(parse_type(text).value()), stored) << text;
  }
}

}  // namespace
}  // namespace tavola::design
