// Values as ordinary JSON.
#include "design/model/plain_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/test_generators.h"

namespace tavola::design {
namespace {

TEST(PlainJson, IsWritten) {
  const Item item{{"n", 12345678901234567890.123456789_n},
                  {"s", "é\"\n"},
                  {"z", nullptr},
                  {"b", Binary{"hi"}},
                  {"l", List{Value(1), Value(true), Value(List{})}},
                  {"m", Map{{"x", -0.5_n}}},
                  {"set", *NumberSet::of({2, 1})}};
  EXPECT_EQ(to_plain_json(item),
            R"({"b":"aGk=","l":[1,true,[]],"m":{"x":-0.5},"n":12345678901234567890.123456789,)"
            R"("s":"é\"\n","set":[1,2],"z":null})");
  EXPECT_EQ(to_plain_json(Item{}), "{}");
}

TEST(PlainJson, IsRead) {
  for (const auto& [text, value] : std::vector<std::pair<const char*, Value>>{
           {"null", nullptr},
           {" true ", true},
           {"-1.50e1", -15},
           {"0.1", 0.1_n},
           {"12345678901234567890123456789012345678",
            Number::parse("12345678901234567890123456789012345678").value()},
           {R"("a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00 é")", "a\"\\/\b\f\n\r\t\u00e9\U0001F600 é"},
           {"[]", List{}},
           {"[1, \"two\",[ ]\n]", List{Value(1), Value("two"), Value(List{})}},
           {"{}", Map{}},
           {"{\"a\" : {\"b\":[false]}, \"\": 1}", Map{{"a", Map{{"b", List{Value(false)}}}}, {"", 1}}},
       }) {
    const auto parsed = parse_plain_json(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_EQ(*parsed, value) << text;
  }
}

TEST(PlainJson, IsNothingElse) {
  for (const auto& [text, message] : std::vector<std::pair<const char*, const char*>>{
           {"", "no JSON (byte 0): a value is expected here"},
           {"yes", "no JSON (byte 0): a value is expected here"},
           {"'a'", "no JSON (byte 0): a value is expected here"},
           {"NaN", "no JSON (byte 0): a value is expected here"},
           {"-", "no JSON (byte 1): a value is expected here"},
           {"+1", "no JSON (byte 0): a value is expected here"},
           {".5", "no JSON (byte 0): a value is expected here"},
           {"1 2", "no JSON (byte 2): something follows the value"},
           {"1 # one", "no JSON (byte 2): something follows the value"},
           {"nullx", "no JSON (byte 4): something follows the value"},
           {"012", "no JSON (byte 1): something follows the value"},
           {"1.", "no JSON (byte 2): digits are expected here"},
           {"1e+", "no JSON (byte 3): digits are expected here"},
           {"[1,]", "no JSON (byte 3): a value is expected here"},
           {"[1 2]", "no JSON (byte 3): a comma or ] is expected here"},
           {"[1", "no JSON (byte 2): a comma or ] is expected here"},
           {"{a: 1}", "no JSON (byte 1): a name in quotes is expected here"},
           {"{\"a\" 1}", "no JSON (byte 5): a colon is expected here"},
           {"{\"a\":1,}", "no JSON (byte 7): a name in quotes is expected here"},
           {"{\"a\":1 \"b\":2}", "no JSON (byte 7): a comma or } is expected here"},
           {"{\"a\":1,\"a\":2}", "no JSON (byte 7): \"a\" is repeated here"},
           {"\"a", "no JSON (byte 2): the text is not closed"},
           {"\"a\nb\"", "no JSON (byte 2): a text must not contain control characters"},
           {"\"\\x\"", "no JSON (byte 2): unknown escape"},
           {"\"\\ud83d\"", "no JSON (byte 7): an incomplete surrogate pair"},
           {"\"\\u12g4\"", "no JSON (byte 5): four hexadecimal digits are expected here"},
           {"\"\xFF\"", "no JSON (byte 0): the text is not UTF-8"},
       }) {
    const auto parsed = parse_plain_json(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message(), message) << text;
  }
  EXPECT_FALSE(parse_plain_json(std::string(100'000, '[')));
  EXPECT_FALSE(parse_plain_json("1e999"));
}

// Generates values that JSON can express.
Value plain(Dice& dice, int levels) {
  switch (dice.below(levels > 1 ? 6 : 4)) {
    case 0:
      return nullptr;
    case 1:
      return dice.coin();
    case 2:
      return dice.number();
    case 3:
      return dice.text();
    case 4: {
      List list;
      for (std::size_t left = dice.length(4); left > 0; --left) list.push_back(plain(dice, levels - 1));
      return list;
    }
    default: {
      Map map;
      for (std::size_t left = dice.length(4); left > 0; --left) map[dice.text()] = plain(dice, levels - 1);
      return map;
    }
  }
}

RC_GTEST_PROP(PlainJson, ComesBack, ()) {
  Dice dice = *arbitrary_dice();
  const Value value = plain(dice, 4);
  RC_ASSERT(parse_plain_json(to_plain_json(value)).value() == value);
}

RC_GTEST_PROP(PlainJson, ReadsAnyBytes, ()) {
  Dice dice = *arbitrary_dice();
  std::string text = to_plain_json(plain(dice, 4));
  if (text.empty()) return;
  text[dice.below(text.size())] = "\"\\{}[],:0-.eu\xFF "[dice.below(16)];
  (void)parse_plain_json(text);
}

}  // namespace
}  // namespace tavola::design
