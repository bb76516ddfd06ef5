// Revisions by examples (testdata/convert/*.yaml), and the differences that a revision must cover.
#include "design/revisions/convert.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/language/reading.h"
#include "design/load.h"
#include "design/model/plain_json.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

using testing::HasSubstr;

Design loaded(const std::string& text, const std::string& file) {
  Loaded result = load(text, file);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::Error) ADD_FAILURE() << to_text(diagnostic, text);
  }
  return result.design ? *std::move(result.design) : Design();
}

std::optional<Item> image(const yaml::Node& one, std::string_view name) {
  const yaml::Node* const node = one.find(name);
  return node == nullptr ? std::nullopt : std::optional<Item>(plain_value(*node).map());
}

std::string shown(const std::optional<Item>& item) { return item ? to_plain_json(*item) : "nothing"; }

class RevisionOfRegistry : public testing::Test {
 protected:
  static Design design_of(const yaml::Document& document, std::string_view which) {
    const std::string file = document.root.find(which)->text;
    return loaded(text_of_file(std::filesystem::path(TAVOLA_SOURCE_DIR) / "designs" / file), file);
  }
  static yaml::Document document() {
    return yaml::parse(text_of_file(std::filesystem::path(TAVOLA_SOURCE_DIR) /
                                    "src/design/testdata/convert/aura-historia-data.yaml"));
  }
  static void expect_right(const Conversion& conversion, Way way, const Item& item, const Item& counterpart) {
    const Item& older = way == Way::Forward ? item : counterpart;
    const Item& newer = way == Way::Forward ? counterpart : item;
    EXPECT_EQ(conversion.why_apart(older, newer).value_or(""), "");
    // The counterpart leads back by its key.
    const auto key = conversion.counterpart_key(way == Way::Forward ? Way::Back : Way::Forward, counterpart);
    ASSERT_TRUE(key && *key);
    for (const auto& [name, value] : **key) EXPECT_EQ(item.at(name), value);
  }
};

TEST_F(RevisionOfRegistry, Examples) {
  const yaml::Document document = RevisionOfRegistry::document();
  ASSERT_TRUE(document.problems.empty())
      << document.problems.front().message << document.problems.front().span.begin.line;
  const Design older = design_of(document, "older");
  const Design newer = design_of(document, "newer");
  const auto conversion = Conversion::between(older, newer);
  ASSERT_TRUE(conversion) << conversion.error().message();
  for (const yaml::Node& one : document.root.find("cases")->items) {
    SCOPED_TRACE(one.find("name")->text);
    const Way way = one.find("way")->text == "forward" ? Way::Forward : Way::Back;
    const ItemChange change{.before = image(one, "before"),
                            .after = image(one, "after"),
                            .counterpart = image(one, "counterpart")};
    const auto followed = conversion->follow(way, change, {});
    if (const yaml::Node* const refused = one.find("refused")) {
      ASSERT_FALSE(followed);
      EXPECT_THAT(followed.error().message(), HasSubstr(refused->text));
      continue;
    }
    ASSERT_TRUE(followed) << followed.error().message();
    EXPECT_EQ(shown(*followed), shown(image(one, "then")));
    if (change.after && *followed) expect_right(*conversion, way, *change.after, **followed);
  }
}

TEST_F(RevisionOfRegistry, WhatIsApartIsTold) {
  const yaml::Document document = RevisionOfRegistry::document();
  const Design older = design_of(document, "older");
  const Design newer = design_of(document, "newer");
  const auto conversion = Conversion::between(older, newer);
  ASSERT_TRUE(conversion) << conversion.error().message();
  const Item page{
      {"PK", "SHOP#a.com"}, {"SK", "URL#https://a.com"}, {"url", "https://a.com"}, {"type", "listing"}};
  const auto right = conversion->convert(Way::Forward, page, {});
  ASSERT_TRUE(right && *right);
  EXPECT_EQ(conversion->why_apart(page, **right), std::nullopt);
  Item other = **right;
  other["type"] = "product";
  other["gsi1_sk"] = "product";
  EXPECT_EQ(conversion->why_apart(page, other).value_or(""),
            "type is \"product\", but revision 000 says \"listing\"");
  other = **right;
  other.erase("gsi1_sk");
  EXPECT_EQ(conversion->why_apart(page, other).value_or(""), "gsi1_sk is missing, but should be \"listing\"");
}

constexpr const char* kOlder = R"yaml(design: 1
name: library
revision: "1"
table: { name: library, hash: PK }
entities:
  Book:
    key: { PK: BOOK#<book> }
    ids: { book: string }
    attributes: { title: string, pages: integer, changed: { type: timestamp, auto: update } }
  Shelf:
    key: { PK: SHELF#<shelf> }
    ids: { shelf: string }
)yaml";

// Returns the second revision, in which Book has these attributes, with these changes.
Design second(const std::string& attributes, const std::string& changes, const std::string& more = "") {
  return loaded(R"yaml(design: 1
name: library
revision: "2"
table: { name: library, hash: pk }
entities:
  Book:
    key: { pk: BOOK#<book> }
    ids: { book: string }
    attributes: )yaml" +
                    attributes + "\n" + more + R"yaml(
revisions:
  - from: "1"
    to: "2"
    changes: )yaml" +
                    changes + "\n",
                "library.yaml");
}

TEST(Revision, MustSayWhatBecomesOfEverything) {
  struct Case {
    const char* attributes;
    const char* changes;
    const char* reported;  // empty: the revision is complete
  };
  constexpr auto kAll = "{ title: string, pages: integer, changed: timestamp }";
  const Case cases[] = {
      {kAll, "[{ drop_entity: Shelf }]", ""},
      {kAll, "[]", "does not cover Shelf. Add it under `revisions`: {drop_entity: Shelf}"},
      {"{ title: string, changed: timestamp }", "[{ drop_entity: Shelf }]",
       "does not cover Book.pages. Add it under `revisions`: {drop: Book.pages}"},
      {"{ title: string, changed: timestamp }", "[{ drop_entity: Shelf }, { drop: Book.pages }]", ""},
      {"{ name: string, pages: integer, changed: timestamp }",
       "[{ drop_entity: Shelf }, { rename: Book.title, to: name }]", ""},
      {"{ title: string, pages: string, changed: timestamp }", "[{ drop_entity: Shelf }]",
       "{retype: Book.pages}"},
      {kAll, "[{ drop_entity: Shelf }, { drop: Shelf.x }]", "Shelf.x is not a field of an entity of both"},
      {kAll, "[{ drop_entity: Shelf }, { drop: Book.x }]", "revision 1 has no Book.x"},
      {kAll, "[{ drop_entity: Shelf }, { rename: Book.title, to: x }]", "Book has no x"},
      {kAll, "[{ drop_entity: Shelf }, { set: Book.pages, to: many }]", "pages must be an integer"},
      {kAll, "[{ drop_entity: Shelf }, { set: Book.pages, to: 1, when: \"title = \" }]", "when: "},
      {"{ title: { type: string, unique: true }, pages: integer, changed: timestamp }",
       "[{ drop_entity: Shelf }]", "the unique Book.title is new in revision \"2\""},
  };
  const Design older = loaded(kOlder, "older.yaml");
  for (const Case& one : cases) {
    SCOPED_TRACE(one.attributes + std::string(" ") + one.changes);
    const Design newer = second(one.attributes, one.changes);
    const auto conversion = Conversion::between(older, newer);
    EXPECT_EQ(conversion.has_value(), *one.reported == '\0')
        << (conversion ? "" : conversion.error().message());
    if (!conversion) {
      EXPECT_THAT(conversion.error().message(), HasSubstr(one.reported));
    }
  }
  Design third = second(kAll, "[]");
  third.revision = "3";
  EXPECT_THAT(Conversion::between(older, third).error().message(),
              HasSubstr("no revision from \"1\" to \"3\""));
}

TEST(Revision, RenamesAndRetypesGoBothWays) {
  const Design older = loaded(kOlder, "older.yaml");
  const Design newer = second("{ name: string, pages: string, changed: { type: timestamp, auto: update } }",
                              "[{ drop_entity: Shelf }, { rename: Book.title, to: name }, { retype: "
                              "Book.pages, recompute: librarian }]");
  const auto conversion = Conversion::between(older, newer);
  ASSERT_TRUE(conversion) << conversion.error().message();
  const Item old_book{{"PK", "BOOK#1"}, {"title", "Emma"}, {"pages", 5}, {"changed", "2026-01-15T10:00:00Z"}};
  const Item new_book{{"pk", "BOOK#1"}, {"name", "Emma"}, {"changed", "2026-01-15T10:00:00Z"}};
  EXPECT_EQ(shown(*conversion->convert(Way::Forward, old_book, {})), shown(new_book));
  EXPECT_EQ(shown(*conversion->convert(Way::Back, new_book, {})),
            R"({"PK":"BOOK#1","changed":"2026-01-15T10:00:00Z","title":"Emma"})");
  // A dropped entity has no counterpart.
  EXPECT_EQ(shown(*conversion->convert(Way::Forward, {{"PK", "SHELF#1"}}, {})), "nothing");
  EXPECT_EQ(shown(*conversion->counterpart_key(Way::Forward, {{"PK", "SHELF#1"}})), "nothing");
}

TEST(Revision, RetypedValuesThatNobodyMakesAnewMustFit) {
  const Design older = loaded(kOlder, "older.yaml");
  const Design newer = second("{ title: string, pages: string, changed: timestamp }",
                              "[{ drop_entity: Shelf }, { retype: Book.pages }]");
  const auto conversion = Conversion::between(older, newer);
  ASSERT_TRUE(conversion) << conversion.error().message();
  EXPECT_TRUE(conversion->convert(Way::Forward, {{"PK", "BOOK#1"}, {"title", "Emma"}}, {}));
  const auto refused = conversion->convert(Way::Forward, {{"PK", "BOOK#1"}, {"pages", 5}}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("pages must be a text"));
}

TEST(Revision, RecordsOfOurOwnGetTheOtherKeys) {
  const Design older = loaded(kOlder, "older.yaml");
  const Design newer =
      second("{ title: string, pages: integer, changed: timestamp }", "[{ drop_entity: Shelf }]");
  const auto conversion = Conversion::between(older, newer);
  ASSERT_TRUE(conversion) << conversion.error().message();
  const Item guard{{"PK", "$unique#Book.title#Emma"}, {"of", Value(Map{{"PK", "BOOK#1"}})}};
  const Item other{{"pk", "$unique#Book.title#Emma"}, {"of", Value(Map{{"pk", "BOOK#1"}})}};
  EXPECT_EQ(shown(*conversion->convert(Way::Forward, guard, {})), shown(other));
  EXPECT_EQ(shown(*conversion->convert(Way::Back, other, {})), shown(guard));
  EXPECT_EQ(shown(*conversion->counterpart_key(Way::Forward, guard)), R"({"pk":"$unique#Book.title#Emma"})");
}

}  // namespace
}  // namespace tavola::design
