#include "yaml/write.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tavola::yaml {
namespace {

// The contents of a document, comments included, in a comparable and readable form.
std::string text_of(const Node& node) {
  std::string out;
  for (const std::string& comment : node.comments_above) out += comment.empty() ? "" : comment + "\n";
  if (node.kind == Kind::List) {
    out += "[";
    for (const Node& item : node.items) out += text_of(item) + ",";
    out += "]";
  } else if (node.kind == Kind::Map) {
    out += "{";
    for (const Entry& entry : node.entries) out += text_of(entry.key) + ":" + text_of(entry.value) + ",";
    out += "}";
  } else {
    out += std::string(kind_name(node.kind)) + "(" + node.text + ")";
  }
  return out + node.comment_beside;
}
std::string text_of(const Document& document) {
  std::string out = text_of(document.root);
  for (const std::string& comment : document.comments_end) out += comment.empty() ? "" : comment + "\n";
  return out;
}

void expect_stable(const std::string& text) {
  const Document document = parse(text);
  ASSERT_THAT(document.problems, testing::IsEmpty()) << text;
  const std::string once = write(document);
  const Document again = parse(once);
  ASSERT_THAT(again.problems, testing::IsEmpty()) << once;
  EXPECT_EQ(text_of(again), text_of(document)) << once;
  EXPECT_EQ(write(again), once);
}

struct Layout {
  std::string_view what;
  std::string_view given;
  std::string_view written;
};

const std::string kLong(100, 'x');

class Layouts : public testing::TestWithParam<Layout> {};
TEST_P(Layouts, AreTheOne) {
  const std::string given(GetParam().given);
  EXPECT_EQ(write(parse(given)), GetParam().written) << GetParam().what;
  expect_stable(given);
}
INSTANTIATE_TEST_SUITE_P(
    Write, Layouts,
    testing::Values(
        Layout{"nothing", "", ""}, Layout{"a scalar", "5", "5\n"},
        Layout{"indentation", "a:\n    b:\n      - 1\n      -  2\n", "a:\n  b:\n    - 1\n    - 2\n"},
        Layout{"lists are indented", "a:\n- 1\n- b: 2\n  c: 3\n", "a:\n  - 1\n  - b: 2\n    c: 3\n"},
        Layout{"lists in lists", "- - 1\n  - 2\n- - 3\n", "- - 1\n  - 2\n- - 3\n"},
        Layout{"brackets", "a: {b: 1,c: [x,  y],}", "a: { b: 1, c: [x, y] }\n"},
        Layout{"empty ones", "a: { }\nb: [ ]\n", "a: {}\nb: []\n"},
        Layout{"one that goes over lines and fits", "a: {b: 1,\n  c: 2}", "a: { b: 1, c: 2 }\n"},
        Layout{"one with a comment", "a: {b: 1, # one\n  c: 2}", "a:\n  b: 1\n  # one\n  c: 2\n"},
        Layout{"nothing as a value", "a:\nb: ~\n", "a: null\nb: null\n"},
        Layout{"quotes", "a: \"x\"\nb: 'no'\nc: \"5\"\nd: 'true'\ne: \"x: y\"\nf: ''\n",
               "a: x\nb: no\nc: \"5\"\nd: \"true\"\ne: \"x: y\"\nf: \"\"\n"},
        Layout{"dates",
               "a: 2024-01-31\nb: [2024-01-31T10:00:00Z, 2024-1-1, 20240131]\nc: '2024-01-31 at ten'\n",
               "a: \"2024-01-31\"\nb: [\"2024-01-31T10:00:00Z\", 2024-1-1, 20240131]\nc: \"2024-01-31 at "
               "ten\"\n"},
        Layout{"marks in brackets", "a: [':now', 'why?', x:y]\nb: :now\n",
               "a: [\":now\", \"why?\", x:y]\nb: :now\n"},
        Layout{"quotes in brackets", "a: [\"x\", \"x,y\", 'it''s']", "a: [x, \"x,y\", it's]\n"},
        Layout{"quotes around quotes", "a: '\"x\" #'\nb: \"\\\"\\n\"\n", "a: '\"x\" #'\nb: \"\\\"\\n\"\n"},
        Layout{"quoted keys", "\"a\": 1\n'5': 2\n\"b: c\": 3\n\"- d\": 4\n",
               "a: 1\n5: 2\n\"b: c\": 3\n\"- d\": 4\n"},
        Layout{"comments", "# top\n\na: 1 # beside\n  # above b\nb: # of the block\n   c: 1\n# end\n",
               "# top\n\na: 1  # beside\n# above b\nb:  # of the block\n  c: 1\n# end\n"},
        Layout{"comments of items", "a:\n  # one\n  - 1 # beside\n  -\n    # two\n    b: 1\n",
               "a:\n  # one\n  - 1  # beside\n  -\n    # two\n    b: 1\n"},
        Layout{"empty lines", "a: 1\n\n\n\nb: 2\nc: 3\n\n# d\n\n\nd: 4\n\n",
               "a: 1\n\nb: 2\nc: 3\n\n# d\n\nd: 4\n"},
        Layout{"a text in lines", "a: |\n     x\n       y\n\n     z\n\nb: |-\n  x\nc: |+\n  x\n\nd: 1\n",
               "a: |\n  x\n    y\n\n  z\n\nb: |-\n  x\nc: |+\n  x\n\nd: 1\n"},
        Layout{"a folded text", "a: >\n     x\n     y\n\n     z\nb: 1\n", "a: >\n  x y\n\n  z\nb: 1\n"},
        Layout{"a text over lines that fits", "a: x\n  y\n", "a: x y\n"},
        Layout{"paragraphs", "a: x\n\n  y\n", "a: >-\n  x\n\n  y\n"}));

TEST(Write, OpensBracketsThatDoNotFit) {
  EXPECT_EQ(write(parse("a: { b: " + kLong + ", c: { d: 1 } }")), "a:\n  b: " + kLong + "\n  c: { d: 1 }\n");
  EXPECT_EQ(write(parse("- { b: " + kLong + ", c: 1 }")), "- b: " + kLong + "\n  c: 1\n");
  EXPECT_EQ(write(parse("a: [" + kLong + ", 1234567]")), "a:\n  - " + kLong + "\n  - 1234567\n");
}

TEST(Write, ALineMayBeFull) {
  const std::string full = "a: [" + kLong + ", 123]\n";
  ASSERT_EQ(full.size(), kColumnsMax + 1);
  EXPECT_EQ(write(parse(full)), full);
}

TEST(Write, FoldsLongTextsAnew) {
  std::string words;
  for (int i = 0; i < 40; ++i) words += "word" + std::to_string(i) + " ";
  words += "end";
  const std::string text = write(parse("doc:\n  short\n  " + words + "\n"));
  EXPECT_THAT(text, testing::StartsWith("doc: >-\n  short word0 "));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kColumnsMax);
  EXPECT_EQ(parse(text).root.find("doc")->text, "short " + words);
}

TEST(Write, DocumentsMadeByHand) {
  Document document;
  document.root.kind = Kind::Map;
  Entry& first = document.root.entries.emplace_back();
  first.key.text = "a";
  first.value.kind = Kind::Text;
  first.value.text = "5";
  Entry& second = document.root.entries.emplace_back();
  second.key.text = "b";
  second.key.comments_above = {"", "# b"};
  second.value.kind = Kind::List;
  EXPECT_EQ(write(document), "a: \"5\"\n\n# b\nb: []\n");
}

// ---- Any document ----

// Mostly words, so that many texts need no quotes, with a few characters that need them.
std::string any_text() {
  const auto piece = rc::gen::weightedOneOf<std::string>(
      {{6, rc::gen::element<std::string>("a", "word", "5", " ", "\xC3\xA9", "b c")},
       {3,
        rc::gen::element<std::string>(": ", " #", "- ", ":", "-", "#", "'", "\"", ",", "<x>", "\n", "\n\n")},
       {1, rc::gen::element<std::string>("\t", "\\", "[", "]", "{", "}", "|", ">", "&", "*", "!", "%", "@",
                                         "`", "?", "...", "---", "~", "\x01", "\r")}});
  std::string text;
  for (const std::string& part : *rc::gen::resize(6, rc::gen::container<std::vector<std::string>>(piece))) {
    text += part;
  }
  return text;
}

// One of 0 … n-1, equally likely in small and in large cases.
int any_below(int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); }

Node any_node(int depth) {
  Node node;
  const int shape = any_below(depth > 0 ? 8 : 5);
  node.kind = Kind::Text;
  if (shape < 4) node.text = any_text();
  if (shape == 4) node = parse(*rc::gen::element<std::string>("5", "-1.5e3", "true", "null")).root;
  if (shape == 2) node.style = Style::Folded;
  if (shape == 3) node.style = Style::Literal;
  if (shape < 5) return node;
  node.kind = shape == 5 ? Kind::List : Kind::Map;
  node.style = *rc::gen::element(Style::Flow, Style::Block);
  for (int i = any_below(4); i > 0; --i) {
    if (node.kind == Kind::List) {
      node.items.push_back(any_node(depth - 1));
    } else {
      Entry entry;
      entry.key.kind = Kind::Text;
      entry.key.text = any_text() + std::to_string(i);
      if (any_below(5) == 0) entry.key.comments_above = {"# above"};
      entry.value = any_node(depth - 1);
      if (any_below(5) == 0) entry.value.comment_beside = "# beside";
      node.entries.push_back(std::move(entry));
    }
  }
  return node;
}

RC_GTEST_PROP(WriteProperty, WhatIsWrittenIsReadAgain, ()) {
  Document document;
  document.root = any_node(3);
  const std::string once = write(document);
  const Document again = parse(once);
  RC_LOG() << once;
  RC_ASSERT(again.problems.empty());
  RC_ASSERT(text_of(again) == text_of(document));
  RC_ASSERT(write(again) == once);
}

// ---- The files of the tree ----

std::vector<std::filesystem::path> files_of_the_tree() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = TAVOLA_SOURCE_DIR;
  for (const char* folder : {"designs", "src/design/testdata", "src/workshop"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (file.path().extension() == ".yaml") files.push_back(file.path());
    }
  }
  return files;
}

TEST(Write, EveryFileOfTheTree) {
  for (const auto& path : files_of_the_tree()) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    if (!parse(text.str()).problems.empty()) continue;  // fixtures with mistakes
    SCOPED_TRACE(path);
    expect_stable(text.str());
  }
}

}  // namespace
}  // namespace tavola::yaml
