#include "design/language/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/language/json_schema.h"
#include "design/model/nearest.h"
#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

using std::chrono::milliseconds;

TEST(Durations, AreWholeNumbersWithAUnit) {
  EXPECT_EQ(parse_duration("2h"), milliseconds(7'200'000));
  EXPECT_EQ(parse_duration("90d"), milliseconds(7'776'000'000));
  EXPECT_EQ(parse_duration("5ms"), milliseconds(5));
  EXPECT_EQ(parse_duration("1w"), milliseconds(604'800'000));
  for (const char* text :
       {"", "h", "2", "2 h", "-2h", "2.5h", "2y", "99999999999999999999d", "9223372036854775807d"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Nearest, IsTheWordWithTheFewestMistakes) {
  const std::vector<std::string> words{"attributes", "title", "doc", "hash", "range"};
  EXPECT_EQ(nearest("atributes", words), "attributes");
  EXPECT_EQ(nearest("titel", words), "title");
  EXPECT_EQ(nearest("DOC", words), "doc");
  EXPECT_EQ(nearest("dco", words), "doc");
  EXPECT_EQ(nearest("elephant", words), "");
  EXPECT_EQ(nearest("xy", words), "");
  EXPECT_EQ(nearest("", words), "");
}

const Value& member_of(const Value& value, std::string_view key) { return value.map().find(key)->second; }

TEST(JsonSchema, SaysWhatTheTablesSay) {
  const Result<Value> parsed = parse_plain_json(json_schema());
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(member_of(*parsed, "$schema").string(), "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(member_of(*parsed, "additionalProperties"), Value(false));
  for (const Member& member : all_members(design_shape())) {
    EXPECT_EQ(member_of(member_of(member_of(*parsed, "properties"), member.key), "description").string(),
              member.doc)
        << member.key;
  }
}

// Every reference leads to a definition.
void check_references(const Value& part, const Map& definitions) {
  if (part.type() == Type::List) {
    for (const Value& element : part.list()) check_references(element, definitions);
  }
  if (part.type() != Type::Map) return;
  for (const auto& [key, value] : part.map()) {
    if (key == "$ref") {
      const std::string name = value.string().substr(std::string_view("#/$defs/").size());
      EXPECT_TRUE(definitions.contains(name)) << name;
    } else {
      check_references(value, definitions);
    }
  }
}

TEST(JsonSchema, RefersToWhatItDefines) {
  const Result<Value> parsed = parse_plain_json(json_schema());
  ASSERT_TRUE(parsed);
  check_references(*parsed, member_of(*parsed, "$defs").map());
}

// Two shapes of one name would be one definition.
TEST(JsonSchema, DefinesEachNameOnce) {
  const std::string schema = json_schema();
  EXPECT_TRUE(parse_plain_json(schema).has_value());  // refuses a name that occurs twice in an object
}

}  // namespace
}  // namespace tavola::design
