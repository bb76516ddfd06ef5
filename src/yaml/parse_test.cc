// The parser by examples: the tree of a text, and the problem and position of a mistake.
#include "yaml/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tavola::yaml {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Like JSON, with texts in single quotes, so that the examples are easy to read.
std::string shown(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Kind::Null:
      return "null";
    case Kind::Bool:
      return node.boolean() ? "true" : "false";
    case Kind::Number:
      return node.text;
    case Kind::Text:
      return "'" + node.text + "'";
    case Kind::List:
      for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + shown(item);
      return "[" + out + "]";
    case Kind::Map:
      for (const Entry& entry : node.entries) {
        out += (out.empty() ? "" : ", ") + entry.key.text + ": " + shown(entry.value);
      }
      return "{" + out + "}";
  }
  return out;
}

// "2:5 yaml/tab"
std::vector<std::string> problems_of(const Document& document) {
  std::vector<std::string> problems;
  for (const Problem& problem : document.problems) {
    problems.push_back(std::to_string(problem.span.begin.line) + ":" +
                       std::to_string(problem.span.begin.column) + " " + std::string(problem.code));
    EXPECT_FALSE(problem.message.empty());
    EXPECT_FALSE(problem.advice.empty());
    EXPECT_LE(problem.span.begin, problem.span.end);
  }
  return problems;
}

struct Example {
  const char* text;
  const char* meaning;
};

TEST(Yaml, Means) {
  for (const auto& [text, meaning] : std::vector<Example>{
           {"", "null"},
           {"# only a comment\n", "null"},
           {"---\na: 1\n...\n", "{a: 1}"},
           {"a: b\nc:\n- 1\n- 2\n", "{a: 'b', c: [1, 2]}"},
           {"a:\n  b:\n    c: d\n  e: f\n", "{a: {b: {c: 'd'}, e: 'f'}}"},
           {"- - a\n  - b\n- c: d\n  e: f\n-\n  g: h\n-\n", "[['a', 'b'], {c: 'd', e: 'f'}, {g: 'h'}, null]"},
           {"a: {b: [1, 2, {c: d}], 'e f': \"g\"}", "{a: {b: [1, 2, {c: 'd'}], e f: 'g'}}"},
           {"a: {\n  b: 1, # one\n  c: [\n    d,\n  ],\n}\ne: f\n", "{a: {b: 1, c: ['d']}, e: 'f'}"},
           {"{\"a\":1,\"b\":[true,null]}", "{a: 1, b: [true, null]}"},
           {"a: yes\nb: on\nc: no\nd: True\ne: ~\nf:\n",
            "{a: 'yes', b: 'on', c: 'no', d: true, e: null, f: null}"},
           {"[1, -1, +1.5, .5, 1., 1e9, 0x1F, 1_000, 1.2.3, -, 12:30]",
            "[1, -1, +1.5, .5, 1., 1e9, '0x1F', '1_000', '1.2.3', '-', '12:30']"},
           {"a: https://x.y/z#q\nb: x:y\nc: SHOP#<id>\nd: '# no comment'\n",
            "{a: 'https://x.y/z#q', b: 'x:y', c: 'SHOP#<id>', d: '# no comment'}"},
           {"a: one\n  two\n\n  three\nb: c\n", "{a: 'one two\nthree', b: 'c'}"},
           {"a: 'it''s\n  me'\nb: \"x\\ty\\u00e9\\ud83d\\ude00 \\\n   z\"\n",
            "{a: 'it's me', b: 'x\ty\u00e9\U0001F600 z'}"},
           {"a: |\n  one\n   two\n\nb: |-\n  x\nc: |+\n  y\n\nd: |2\n    z\n",
            "{a: 'one\n two\n', b: 'x', c: 'y\n\n', d: '  z\n'}"},
           {"a: >-\n  one\n  two\n\n  three\n   four\n  five\n", "{a: 'one two\nthree\n four\nfive'}"},
           {"a:\r\n  b: c\r\n", "{a: {b: 'c'}}"},
           {"\xEF\xBB\xBF"
            "a: b",
            "{a: 'b'}"},
           {"città: è\n", "{città: 'è'}"},
       }) {
    const Document document = parse(text);
    EXPECT_EQ(shown(document.root), meaning) << text;
    EXPECT_THAT(problems_of(document), IsEmpty()) << text;
  }
}

struct Mistake {
  const char* text;
  std::vector<std::string> problems;
  const char* rest;  // read despite the problem
};

TEST(Yaml, TellsEveryMistakeOnceAndReadsOn) {
  for (const auto& [text, problems, rest] : std::vector<Mistake>{
           {"a: 1\nb: 2\na: 3\n", {"3:1 yaml/duplicate-key"}, "{a: 1, b: 2}"},
           {"a: {b: 1, b: 2}\n", {"1:11 yaml/duplicate-key"}, "{a: {b: 1}}"},
           {"a: &x 1\nb: *x\nc: !!str 2\n<<: 3\n",
            {"1:4 yaml/anchor", "2:4 yaml/anchor", "3:4 yaml/tag", "4:1 yaml/merge"},
            "{a: 1, b: null, c: 2, <<: 3}"},
           {"a:\n\tb: 1\nc: 2\n", {"2:1 yaml/tab"}, nullptr},
           {"a: b: c\nd: e\n", {"1:5 yaml/colon"}, "{a: 'b', d: 'e'}"},
           {"a: 'b' c\nd: e\n", {"1:8 yaml/unexpected"}, "{a: 'b', d: 'e'}"},
           {"a: b\n   c: d\ne: f\n", {"2:4 yaml/indentation"}, "{a: 'b', e: 'f'}"},
           {"a:\n    b: 1\n  c: 2\nd: 3\n", {"3:3 yaml/indentation"}, "{a: {b: 1}, d: 3}"},
           {"a: [1, 2\nb: 3\n", {"1:4 yaml/open-bracket"}, "{a: [1, 2], b: 3}"},
           {"a: {b: [1, 2}\nc: 3\n", {"1:13 yaml/comma"}, "{a: {b: [1, 2]}, c: 3}"},
           {"a: {b, c: 1}\nd: 2\n", {"1:5 yaml/colon"}, "{a: {}, d: 2}"},
           {"a: \"x\\q\"\nb: 1\n", {"1:6 yaml/escape"}, "{a: 'xq', b: 1}"},
           {"a: \"open\nb: 1\n", {"1:4 yaml/open-quote"}, nullptr},
           {"a: @b\nc: `d\ne: - f\n",
            {"1:4 yaml/reserved", "2:4 yaml/reserved", "3:4 yaml/reserved"},
            nullptr},
           {"a: 1\n---\nb: 2\n", {"2:1 yaml/documents"}, "{a: 1}"},
           {"%YAML 1.2\n---\na: 1\n", {"1:1 yaml/directive"}, "{a: 1}"},
           {"a: 1\njust words\nb: 2\n", {"2:1 yaml/key"}, "{a: 1, b: 2}"},
           {"a: | text\n  more\nb: 1\n", {"1:6 yaml/block-text"}, nullptr},
       }) {
    const Document document = parse(text);
    EXPECT_EQ(problems_of(document), problems) << text;
    if (rest != nullptr) {
      EXPECT_EQ(shown(document.root), rest) << text;
    }
  }
}

TEST(Yaml, KnowsPlacesAndComments) {
  const Document document = parse("# top\n\nnaïve: word # beside\n# above\nlist:\n  - [x, yy]\n# end\n");
  EXPECT_THAT(problems_of(document), IsEmpty());
  const Node& root = document.root;
  ASSERT_EQ(root.entries.size(), 2U);
  EXPECT_THAT(root.entries[0].key.comments_above, ElementsAre("# top", ""));
  EXPECT_EQ(root.entries[0].key.span, (Span{{3, 1}, {3, 6}}));
  EXPECT_EQ(root.entries[0].value.span, (Span{{3, 8}, {3, 12}}));
  EXPECT_EQ(root.entries[0].value.comment_beside, "# beside");
  EXPECT_THAT(root.entries[1].key.comments_above, ElementsAre("# above"));
  EXPECT_EQ(root.entries[1].value.items[0].items[1].span, (Span{{6, 9}, {6, 11}}));
  EXPECT_THAT(document.comments_end, ElementsAre("# end"));
}

TEST(Yaml, NestsUpToALimit) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(problems_of(parse(deep)), testing::Contains("1:65 yaml/depth"));
  std::string lists;
  for (int i = 0; i < 1000; ++i) lists += "- ";
  EXPECT_FALSE(parse(lists).problems.empty());
  EXPECT_TRUE(parse(std::string(60, '[') + std::string(60, ']')).problems.empty());
}

// Any bytes are read to the end, and every reported position lies in the text.
RC_GTEST_PROP(Yaml, ReadsAnything, ()) {
  const auto piece = rc::gen::element<std::string>("a", ": ", "\n", "  ", "- ", "{", "}", "[", "]", ", ",
                                                   "\"", "'", "#", " #", "|", ">", "\t", "\\", "&", "---\n",
                                                   "\xC3\xA9", "\xFF", ":", "?", "1");
  std::string text;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
  const Document document = parse(text);
  const auto lines = static_cast<std::uint32_t>(std::ranges::count(text, '\n') + 1);
  for (const Problem& problem : document.problems) {
    RC_ASSERT(problem.span.begin <= problem.span.end);
    RC_ASSERT(problem.span.end.line <= lines);
  }
}

TEST(Parse, ALineBetweenTwoIndentationsIsNotSaidToBeIndentedMore) {
  const Document document = parse("a:\n    b: 1\n  c: 2\n");
  ASSERT_EQ(document.problems.size(), 1U);
  EXPECT_EQ(document.problems.front().message,
            "The indentation of this line does not match the lines around it.");
}

}  // namespace
}  // namespace tavola::yaml
