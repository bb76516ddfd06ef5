// Values of fields by examples: suitable ones, the errors about others, and values read from texts and JSON.
#include "design/model/field_value.h"

#include <gtest/gtest.h>

#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

Attribute field(std::string_view type, std::string name = "f") {
  Attribute field;
  field.name = std::move(name);
  field.type = parse_type(type).value();
  return field;
}

std::string complaint(const Attribute& field, const Value& value) {
  return why_not(field, value).value_or("ok");
}

struct TypedValue {
  const char* type;
  Value value;
  const char* expected;
};

TEST(FieldValue, HasItsType) {
  for (const auto& [type, value, expected] : std::vector<TypedValue>{
           {"string", "", "ok"},
           {"string", 5, "must be a text (was 5)"},
           {"string", nullptr, "must be a text (was null)"},
           {"number", 1.5_n, "ok"},
           {"number", "5", "must be a number (was \"5\")"},
           {"integer", 5.0_n, "ok"},
           {"integer", 1.5_n, "must be an integer (was 1.5)"},
           {"boolean", false, "ok"},
           {"boolean", "no", "must be true or false (was \"no\")"},
           {"binary", Binary{"x"}, "ok"},
           {"binary", "x", "must be bytes (was \"x\")"},
           {"uuid", "s1", "ok"},
           {"uuid", "", "must be an id without blanks (was \"\")"},
           {"ulid", "a b", "must be an id without blanks (was \"a b\")"},
           {"url", "https://example.com/a#b", "ok"},
           {"url", "https://...", "ok"},
           {"url", "example.com", "must be a URL like https://example.com/ (was \"example.com\")"},
           {"url", "https://", "must be a URL like https://example.com/ (was \"https://\")"},
           {"url", "https:///x", "must be a URL like https://example.com/ (was \"https:///x\")"},
           {"url", "1://x", "must be a URL like https://example.com/ (was \"1://x\")"},
           {"url", "ht tp://x", "must be a URL like https://example.com/ (was \"ht tp://x\")"},
           {"email", "a@b", "ok"},
           {"email", "@b", "must be an address like name@example.com (was \"@b\")"},
           {"email", "a@", "must be an address like name@example.com (was \"a@\")"},
           {"email", "a@b@c", "must be an address like name@example.com (was \"a@b@c\")"},
           {"phone", "+1234567890", "ok"},
           {"phone", "0123", "must be a phone number like +1234567890 (was \"0123\")"},
           {"phone", "+1234567890123456",
            "must be a phone number like +1234567890 (was \"+1234567890123456\")"},
           {"date", "2024-02-29", "ok"},
           {"date", "2023-02-29", "must be a date like 2024-01-31 (was \"2023-02-29\")"},
           {"timestamp", "2024-01-31T12:00:00Z", "ok"},
           {"timestamp", "2024-01-31", "must be a timestamp like 2024-01-31T12:00:00Z (was \"2024-01-31\")"},
           {"timestamp(epoch_ms)", 5, "ok"},
           {"timestamp(epoch_ms)", 5.5_n, "must be a timestamp in milliseconds since 1970 (was 5.5)"},
           {"timestamp(epoch_s)", "x", "must be a timestamp in seconds since 1970 (was \"x\")"},
           {"hash(md5)", "559ceaf45a28778f6e88c3301ecd7d93", "ok"},
           {"hash(md5)", "559c", "must be 32 hexadecimal digits (was \"559c\")"},
           {"hash(sha256)", "a1b2c3d4...", "must be 64 hexadecimal digits (was \"a1b2c3d4...\")"},
           {"map", Map{{"x", 1}}, "ok"},
           {"map", List{}, "must be a map (was [])"},
           {"list<integer>", List{Value(1), Value(2)}, "ok"},
           {"list<integer>", List{Value(1), Value("2")}, "[1] must be an integer (was \"2\")"},
           {"list<list<integer>>", List{Value(List{Value("x")})}, "[0][0] must be an integer (was \"x\")"},
           {"set<string>", *StringSet::of({"a"}), "ok"},
           {"set<string>", List{}, "must be a set: a list that is not empty and has no duplicates (was [])"},
           {"set<date>", *StringSet::of({"2024-01-01", "x"}),
            "[1] must be a date like 2024-01-31 (was \"x\")"},
           {"any", *StringSet::of({"a"}), "ok"},
           {"any", nullptr, "ok"},
       }) {
    EXPECT_EQ(complaint(field(type), value), expected) << type;
  }
}

TEST(FieldValue, KeepsItsBounds) {
  Attribute stars = field("integer", "stars");
  stars.min = 1;
  stars.max = 5;
  EXPECT_EQ(complaint(stars, 5), "ok");
  EXPECT_EQ(complaint(stars, 0), "must be ≥ 1 (was 0)");
  EXPECT_EQ(complaint(stars, 6), "must be ≤ 5 (was 6)");
  EXPECT_EQ(why_not_named(stars, 6), "stars must be ≤ 5 (was 6)");

  Attribute name = field("string");
  name.min_length = 2;
  name.max_length = 3;
  EXPECT_EQ(complaint(name, "äöü"), "ok");
  EXPECT_EQ(complaint(name, "ä"), "must have at least 2 characters (has 1)");
  EXPECT_EQ(complaint(name, "äöüß"), "must have at most 3 characters (has 4)");

  Attribute status = field("enum");
  status.values = {"PENDING", "DONE"};
  EXPECT_EQ(complaint(status, "DONE"), "ok");
  EXPECT_EQ(complaint(status, "X"), "must be one of PENDING, DONE (was \"X\")");
  EXPECT_EQ(complaint(status, 5), "must be a text (was 5)");

  Attribute sizes = field("list<integer>");
  sizes.max_items = 2;
  sizes.values = {"1", "2"};
  EXPECT_EQ(complaint(sizes, List{Value(1), Value(2.0_n)}), "ok");
  EXPECT_EQ(complaint(sizes, List{Value(3)}), "[0] must be one of 1, 2 (was 3)");
  EXPECT_EQ(complaint(sizes, List{Value(1), Value(1), Value(1)}), "must have at most 2 elements (has 3)");

  EXPECT_EQ(complaint(field("integer"), std::string(100, 'x')),
            "must be an integer (was \"" + std::string(59, 'x') + "…)");
}

TEST(FieldValue, MatchesItsPattern) {
  Attribute sku = field("string");
  sku.pattern = "[A-Z]{3}-\\d+";
  EXPECT_EQ(complaint(sku, "SKU-001"), "ok");
  EXPECT_EQ(complaint(sku, "xSKU-001"), "must match [A-Z]{3}-\\d+ (was \"xSKU-001\")");
  sku.pattern = "(a+)+b";  // exponential for a backtracking matcher
  EXPECT_EQ(complaint(sku, std::string(50, 'a')), "must match (a+)+b (was \"" + std::string(50, 'a') + "\")");
  sku.pattern = ".*";
  EXPECT_EQ(complaint(sku, std::string(4096, 'a')), "ok");
  EXPECT_TRUE(complaint(sku, std::string(4097, 'a'))
                  .starts_with("must have at most 4096 bytes, as it has a pattern"));
  sku.pattern = "(";
  EXPECT_EQ(complaint(sku, "x"),
            "cannot be checked, as its pattern ( is no longer supported: give the table a design with "
            "another pattern");
}

// The whole text matches, as JavaScript's ^(?:pattern)$ does, which generated code uses.
TEST(TextPattern, MeansWhatJavaScriptMeans) {
  struct Case {
    const char* pattern;
    std::vector<std::string> matching;
    std::vector<std::string> others;
  };
  const std::vector<Case> cases = {
      {"a|bc", {"a", "bc"}, {"ac", "abc", "xa", ""}},
      {"^a$|^b", {"a", "b"}, {"ab", "\na"}},
      {".", {"a", "ä", "€", "\t"}, {"", "ab", "\n", "\r"}},
      {"[äöü]{2}", {"äü"}, {"ä", "äx"}},
      {"[^a]", {"b", "\n", "ß"}, {"a", ""}},
      {"\\s\\S", {" a", "\vb", "\n€"}, {"  ", "a ", "\v\v"}},
      {"[\\s]+", {" \t\n\v\f\r"}, {"a", ""}},
      {"[\\s\\S]*", {"", "a\nb\r\v"}, {}},
      {"\\w\\W\\d\\D", {"_-1a"}, {"ä-1a", "--1a"}},
      {"[\\w-.]+", {"a-b.c"}, {"a,b"}},
      {"a\\.b\\/c\\-d\\@", {"a.b/c-d@"}, {"axb/c-d@"}},
      {"\\x41\\bx?", {"A"}, {"Ax", "a"}},
      {"a{2,3}?b{", {"aab{", "aaab{"}, {"ab{", "aab"}},
      {"A{0}(?:x|y)*", {"", "xyx"}, {"A"}},
  };
  for (const Case& one : cases) {
    const TextPattern pattern(one.pattern);
    EXPECT_FALSE(pattern.problem()) << one.pattern;
    for (const std::string& text : one.matching)
      EXPECT_TRUE(pattern.matches(text)) << one.pattern << " " << text;
    for (const std::string& text : one.others)
      EXPECT_FALSE(pattern.matches(text)) << one.pattern << " " << text;
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(TextPattern, IsBounded) {
  const TextPattern deep(repeated("(", 20'000) + repeated(")", 20'000));
  EXPECT_EQ(deep.problem()->message, "the pattern has 40000 bytes; at most 1000 are allowed");
  EXPECT_TRUE(deep.matches(""));  // as a stored design may have it
  EXPECT_FALSE(TextPattern(repeated("(", 500) + repeated(")", 500)).problem());
  EXPECT_EQ(TextPattern("a{1001}").problem()->message, "the repetition `{1001}` is not supported");
  EXPECT_EQ(TextPattern(repeated("[^ä]{1000}", 10)).problem()->message, "the compiled pattern is too large");
  EXPECT_FALSE(TextPattern(".{1,1000}").problem());
}

// Patterns that RE2 accepts and JavaScript reads differently are refused in new designs, and still work in
// stored ones.
TEST(TextPattern, ReadsWhatEarlierVersionsAccepted) {
  const TextPattern letters("[[:alpha:]]+");
  EXPECT_TRUE(letters.problem());
  EXPECT_TRUE(letters.is_readable() && letters.matches("abc") && !letters.matches("a1"));
  const TextPattern ahead("(?=a)b");
  EXPECT_TRUE(ahead.problem());
  EXPECT_FALSE(ahead.is_readable() || ahead.matches("b"));
}

Attribute result_field() {
  Attribute word = field("string", "word");
  word.required = true;
  Attribute top = field("list<map>", "top10Words");
  top.of = {word, field("integer", "count")};
  Attribute result = field("map", "result");
  result.of = {field("integer", "totalWords"), top};
  return result;
}

TEST(FieldValue, NamesThePartThatIsWrong) {
  const Attribute result = result_field();
  const auto about = [&](const char* json) {
    return why_not_named(result, *parse_plain_json(json)).value_or("ok");
  };
  EXPECT_EQ(about(R"({"totalWords": 3, "top10Words": [{"word": "a", "count": 1}]})"), "ok");
  EXPECT_EQ(about(R"({"totalWords": 3, "more": null})"),
            "result.more is unknown: the fields are totalWords, top10Words");
  EXPECT_EQ(about(R"({"totalWords": 1.5})"), "result.totalWords must be an integer (was 1.5)");
  EXPECT_EQ(about(R"({"top10Words": [{"word": "a"}, {"count": 1}]})"),
            "result.top10Words[1].word is required");
  EXPECT_EQ(complaint(result, Map{{"totalWords", 1.5_n}}), "totalWords must be an integer (was 1.5)");
}

TEST(FieldValue, IsReadFromText) {
  for (const auto& [type, value, text] : std::vector<TypedValue>{
           {"string", "5", "5"},
           {"integer", 5, "5"},
           {"number", 0.1_n, "0.10"},
           {"boolean", true, "true"},
           {"binary", Binary{"hi"}, "aGk="},
           {"timestamp(epoch_ms)", 1'706'702'400'000, "1706702400000"},
           {"timestamp(epoch_ms)", 1'706'702'400'123, "2024-01-31T13:00:00.1234+01:00"},
           {"timestamp(epoch_s)", 1'706'702'400, "1706702400.75"},
           {"timestamp(epoch_s)", 1'706'702'400, "2024-01-31T12:00:00Z"},
           {"timestamp", "2024-01-31T12:00:00Z", "2024-01-31T12:00:00.999Z"},
           {"timestamp", "2024-01-31T12:00:00Z", "2024-01-31T13:00:00+01:00"},
           {"timestamp(ms)", "2024-01-31T12:00:00.120Z", "2024-01-31T12:00:00.12Z"},
           {"timestamp(us)", "2024-01-31T12:00:00.000000Z", "2024-01-31T12:00:00Z"},
           {"list<string>", List{Value("a")}, "[\"a\"]"},
           {"set<integer>", *NumberSet::of({1, 2}), "[2,1]"},
           {"map", Map{{"a", 1}}, "{\"a\":1}"},
           {"any", 5, "5"},
           {"any", "five", "five"},
       }) {
    const auto read = from_text(field(type), text);
    ASSERT_TRUE(read) << type << ": " << read.error().message();
    EXPECT_EQ(*read, value) << type << " " << text;
  }
  for (const auto& [type, text, message] : std::vector<std::tuple<const char*, const char*, const char*>>{
           {"integer", "five", "stars must be an integer (was \"five\")"},
           {"integer", "", "stars must be an integer (was \"\")"},
           {"boolean", "yes", "stars must be true or false (was \"yes\")"},
           {"timestamp(ms)", "2024-01-31T12:00:00",
            "stars must be a timestamp like 2024-01-31T12:00:00.000Z (was \"2024-01-31T12:00:00\")"},
           {"list<string>", "a,b", "stars must be a list (was \"a,b\")"},
           {"set<string>", "[\"a\",\"a\"]",
            "stars must be a set: a list that is not empty and has no duplicates (was [\"a\",\"a\"])"},
           {"binary", "?", "stars must be bytes (was \"?\")"},
       }) {
    const auto read = from_text(field(type, "stars"), text);
    ASSERT_FALSE(read) << type;
    EXPECT_EQ(read.error().message(), message);
    EXPECT_EQ(read.error().code(), ErrorCode::Validation);
  }
}

TEST(FieldValue, IsReadFromJson) {
  Attribute country = field("string", "country");
  country.format = Template::parse("COUNTRY#<cc>").value();
  EXPECT_EQ(*from_plain(country, "DE"), Value("COUNTRY#DE"));
  EXPECT_EQ(*from_plain(country, "COUNTRY#DE"), Value("COUNTRY#DE"));
  EXPECT_EQ(from_plain(country, "D#E").error().message(),
            "country must look like COUNTRY#<cc> (was \"D#E\")");
  EXPECT_EQ(from_plain(country, "").error().message(), "country must look like COUNTRY#<cc> (was \"\")");

  Attribute outer = field("map", "outer");
  outer.of = {field("set<binary>", "blobs"), country};
  EXPECT_EQ(*from_plain(outer, Map{{"blobs", List{Value("aGk=")}}, {"country", "DE"}}),
            Value(Map{{"blobs", *BinarySet::of({Binary{"hi"}})}, {"country", "COUNTRY#DE"}}));
  // A value of the field stays unchanged.
  EXPECT_EQ(*from_plain(field("set<string>"), *StringSet::of({"a"})), Value(*StringSet::of({"a"})));
}

// A value that is sent in place of a map may hold what belongs into it.
TEST(FieldValue, NoMessageShowsWhatMayBeASensitivePart) {
  Attribute owner = field("map", "owner");
  owner.of.push_back(field("string", "phone"));
  owner.of.back().sensitive = true;
  const Value sent = List{Map{{"phone", "555-1"}}};
  EXPECT_EQ(complaint(owner, sent), "must be a map");
  EXPECT_EQ(was(owner, sent), "");
}

}  // namespace
}  // namespace tavola::design
