#include "design/load.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/test_files.h"
#include "design/language/problems.h"

namespace tavola::design {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

const fs::path kTestdata = fs::path(TAVOLA_SOURCE_DIR) / "src/design/testdata";

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string errors_of(const Loaded& loaded, std::string_view text) {
  std::string errors;
  for (const Diagnostic& diagnostic : loaded.diagnostics) {
    if (diagnostic.severity == Severity::Error) errors += to_text(diagnostic, text);
  }
  return errors;
}

std::string file_name(const testing::TestParamInfo<fs::path>& file) {
  std::string name = file.param.stem().string();
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class Drafts : public testing::TestWithParam<fs::path> {};

TEST_P(Drafts, HaveNoErrors) {
  const std::string text = text_of_file(GetParam());
  const Loaded loaded = load(text, GetParam().filename().string());
  EXPECT_EQ(errors_of(loaded, text), "");
  EXPECT_TRUE(loaded.design.has_value());
}
INSTANTIATE_TEST_SUITE_P(Files, Drafts, testing::ValuesIn(files_in(kTestdata / "drafts")), file_name);

// ---- testdata/errors: the expected error stands below its line; ^ marks the position, `#<` the first column.

std::string note_of(const Diagnostic& error) {
  const std::uint32_t column = error.span.begin.column;
  return (column == 1 ? "#< " : "#" + std::string(column - 2, ' ') + "^ ") + error.code + ": " +
         error.message;
}

bool is_note(const std::string& line) { return line.starts_with("#"); }

// Returns the file with the actual errors in place of the expected ones.
std::string annotated(const std::string& text) {
  std::multimap<std::uint32_t, std::string> notes;
  for (const Diagnostic& error : load(text, "file.yaml").diagnostics) {
    if (error.severity == Severity::Error) notes.emplace(error.span.begin.line, note_of(error));
  }
  std::string out;
  std::istringstream lines(text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (is_note(line)) continue;
    out += line + "\n";
    const auto [first, last] = notes.equal_range(number);
    for (auto note = first; note != last; ++note) out += note->second + "\n";
  }
  return out;
}

class Errors : public testing::TestWithParam<fs::path> {};

TEST_P(Errors, AreToldAtTheirPlaces) {
  const std::string text = text_of_file(GetParam());
  EXPECT_EQ(annotated(text), text);
  EXPECT_FALSE(load(text, "file.yaml").design.has_value());
}
INSTANTIATE_TEST_SUITE_P(Files, Errors, testing::ValuesIn(files_in(kTestdata / "errors")), file_name);

TEST(Errors, OfEveryCodeAreTested) {
  for (const ErrorKind& kind : error_kinds()) {
    const fs::path file = kTestdata / "errors" / (std::string(kind.code) + ".yaml");
    EXPECT_TRUE(text_of_file(file).contains(" " + std::string(kind.code) + ": ")) << file;
  }
}

TEST(Errors, SayWhyAndWhatToDo) {
  for (const fs::path& file : files_in(kTestdata / "errors")) {
    for (const Diagnostic& error : load(text_of_file(file), "file.yaml").diagnostics) {
      EXPECT_NE(error.why, "") << file << error.message;
      EXPECT_NE(error.advice, "") << file << error.message;
    }
  }
}

TEST(Errors, SayHowATextIsQuotedInYaml) {
  const auto advice = [](const std::string& value) {
    const std::string text =
        "design: 1\nname: s\ntable: { name: shop, hash: PK }\nentities:\n  P: { key: { PK: P#<id> }, "
        "ids: { id: string }, attributes: { name: string } }\noperations:\n"
        "  call: { steps: [ { update: P, set: { name: " +
        value + " } } ] }\n";
    const Loaded loaded = load(text, "file.yaml");
    return loaded.diagnostics.empty() ? "" : loaded.diagnostics.front().advice;
  };
  for (const char* value : {"'x'", "\"x\"", "x"})
    EXPECT_THAT(advice(value), testing::HasSubstr("write \"'x'\"")) << value;
  EXPECT_THAT(advice("'two words'"), testing::HasSubstr("write \"'two words'\""));
  EXPECT_THAT(advice("concat(name, x)"), testing::Not(testing::HasSubstr("YAML")));
}

// ---- Designs made to keep a server busy

std::string with_attributes(const std::string& lines) {
  return "design: 1\nname: s\ntable: { name: shop, hash: PK }\nentities:\n  P:\n    key: { PK: P#<id> }\n"
         "    ids: { id: string }\n    attributes:\n      name: string\n" +
         lines;
}

std::vector<std::string> messages_of(const std::string& text) {
  std::vector<std::string> messages;
  for (const Diagnostic& error : load(text, "file.yaml").diagnostics) messages.push_back(error.message);
  return messages;
}

TEST(Bounds, VeryManyMistakesAreNotAllShown) {
  const auto keys = [](int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += "k" + std::to_string(i) + ":\n";
    return lines;
  };
  EXPECT_THAT(messages_of(with_attributes("") + keys(120'000)),
              ElementsAre("there are 120004 parts here; at most 1000 are allowed"));

  const std::vector<std::string> messages = messages_of(with_attributes("") + keys(500));
  ASSERT_EQ(messages.size(), 101U);
  EXPECT_EQ(messages.front(), "unknown key `k0`");
  EXPECT_EQ(messages.back(), "there are more errors than these 100");

  std::string lines;
  for (int i = 0; i < 300'000; ++i) lines += "x\n";
  const std::vector<std::string> of_yaml = messages_of("design: 1\n" + lines);
  ASSERT_EQ(of_yaml.size(), 101U);
  EXPECT_EQ(of_yaml.back(), "there are more errors than these 100");
}

TEST(Bounds, ALargeDesignIsNotRead) {
  const std::string text = with_attributes("#" + std::string(kDesignBytesMax, 'x'));
  EXPECT_THAT(messages_of(text), ElementsAre("the design is larger than 1024 KiB"));
  EXPECT_TRUE(load_stored(text, "file.yaml").design.has_value());
}

TEST(Bounds, PatternsOfAParenthesisAndAnother) {
  const auto pattern = [](const std::string& text) {
    return messages_of(with_attributes("      code: { pattern: '" + text + "' }\n"));
  };
  EXPECT_THAT(
      pattern(std::string(20'000, '(') + std::string(20'000, ')')),
      ElementsAre("this pattern cannot be used: the pattern has 40000 bytes; at most 1000 are allowed"));
  std::string ahead = "a";
  for (int i = 0; i < 100; ++i) ahead = "(?=" + ahead + ")";
  EXPECT_THAT(pattern(ahead),
              ElementsAre("this pattern cannot be used: look-around (`(?=`) is not supported"));
}

// "<i0>#<i1>#" and so on.
std::string placeholders(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "<i" + std::to_string(i) + ">#";
  return text;
}

// "i0: string, i1: string, "
std::string fields(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "i" + std::to_string(i) + ": string, ";
  return text;
}

// Returns `line` `count` times, with the number in place of its $.
std::string lines(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string one = line;
    for (std::size_t at = one.find('$'); at != std::string::npos; at = one.find('$'))
      one.replace(at, 1, std::to_string(i));
    text += one;
  }
  return text;
}

std::string with_key(const std::string& key, int count, const std::string& rest = "") {
  return "design: 1\nname: s\ntable: { name: shop, hash: PK, range: SK }\nentities:\n  P:\n    key: { PK: "
         "\"P#" +
         key + "\", SK: M }\n    attributes: { name: string, " + fields(count) + " }\n" + rest;
}

TEST(Types, ThatAreShortenedAreRecognized) {
  const auto advice = [](const std::string& type) {
    return load(with_attributes("      x: { type: " + type + " }\n"), "x.yaml").diagnostics.front().advice;
  };
  EXPECT_EQ(advice("int"), "Did you mean `integer`?");
  EXPECT_EQ(advice("bool"), "Did you mean `boolean`?");
  EXPECT_EQ(advice("str"), "Did you mean `string`?");
  EXPECT_THAT(advice("float"), testing::StartsWith("The types are "));
}

TEST(Bounds, TemplatesAreShort) {
  EXPECT_THAT(messages_of(with_key(placeholders(32), 32, "patterns: { get: { get: P } }\n")),
              ElementsAre(testing::HasSubstr("may have more than 2048 bytes")));  // a lint
  EXPECT_THAT(messages_of(with_key(placeholders(33), 33)),
              ElementsAre("the template has 33 placeholders; at most 32 are allowed"));
  EXPECT_THAT(messages_of(with_key(std::string(2046, 'x') + "<i0>", 1)),
              ElementsAre("the template has 2052 bytes; at most 2048 are allowed"));
  EXPECT_THAT(
      messages_of(with_key("<i0>", 1,
                           "patterns:\n  q: { query: P, via: table, hash: P#<i0>, range: from M through M" +
                               placeholders(65) + " }\n")),
      ElementsAre("the template has 65 placeholders; at most 64 are allowed"));
  const std::string many = lines(70, "  E$: { key: { PK: " + std::string(2000, 'x') + ", SK: $ } }\n");
  EXPECT_THAT(
      messages_of("design: 1\nname: s\ntable: { name: shop, hash: PK, range: SK }\nentities:\n" + many),
      ElementsAre("the templates up to here have more than 128 KiB in all"));
}

TEST(Bounds, WhatFollowsFromAShortTextIsNotTooMuch) {
  const auto operations_of = [](const std::string& operations) {
    return messages_of(with_key("<i0>", 900, "operations:\n" + operations));
  };
  const std::string too_much = "the operations up to here have too many parameters and assignments in all";
  EXPECT_THAT(operations_of(lines(900, "  o$: { steps: [ { put: P } ] }\n")), ElementsAre(too_much));
  EXPECT_THAT(operations_of("  o:\n    steps:\n" + lines(900, "      - { put: P }\n")),
              ElementsAre(too_much));
  EXPECT_THAT(operations_of(lines(30, "  o$: { steps: [ { put: P } ] }\n")),
              ElementsAre(testing::HasSubstr("no pattern reads it")));  // a lint

  const std::string parts =
      lines(900, "  p$: { query: P, via: table, hash: \"P#<i0>\", filter: \"name = :a$\" }\n");
  const std::string unions =
      "  u0: { union: [" + lines(900, "p$, ") + "] }\n" + lines(90, "  v$: { union: [u0] }\n");
  EXPECT_THAT(messages_of(with_key("<i0>", 1, "patterns:\n" + parts + unions)),
              ElementsAre("the patterns up to here have too many parameters and assignments in all"));
}

// ---- Designs that earlier versions stored

struct OldDesign {
  std::string rule;  // the rule that is newer than the design
  std::string text;
};

const char* const kGroups = R"(design: 1
name: s
table: { name: shop, hash: PK, range: SK }
entities:
  Source:
    key: { PK: SOURCE#<user>, SK: GROUP#<group> }
    ids: { user: string, group: string }
    attributes: { x: string }
  Member:
    key: { PK: USER#<user>, SK: MEMBER#<group> }
    ids: { user: string, group: string }
    attributes: { x: string }
  Group:
    key: { PK: GROUP#<group>, SK: META }
    ids: { group: string }
    attributes: { permissions: list<string>, also: string }
$examples
patterns:
  groupsOf: { query: Member, via: table, hash: USER#<user>, range: begins_with MEMBER# }
  getGroup: { get: Group }
groups: { member_of: groupsOf.group, permissions: getGroup.$field }
$rest
)";

std::string with_groups(const std::string& examples, const std::string& field, const std::string& rest) {
  std::string text = kGroups;
  text.replace(text.find("$examples"), 9, examples);
  text.replace(text.find("$field"), 6, field);
  return text.replace(text.find("$rest"), 5, rest);
}

std::vector<OldDesign> old_designs() {
  return {
      {"Patterns", with_attributes("      code: { type: string, pattern: '(?=a)b' }\n")},
      {"MoreThan100Errors", with_attributes(lines(120, "      r$: { type: string, pattern: '(?=a)b' }\n"))},
      {"ValuesThatAPatternCannotCheck",
       with_attributes("      code: { type: string, pattern: '(?=a).*', default: abc, example: abd }\n"
                       "operations: { call: { steps: [ { update: P, set: { code: \"'abe'\" } } ] } }\n")},
      {"Entries", with_attributes(lines(1001, "      f$: string\n"))},
      {"Values", with_attributes("      v: { values: [" + lines(10'001, "v$, ") + "] }\n")},
      {"Instructions", with_attributes(lines(40, "      f$: { type: string, pattern: '.{1000}' }\n"))},
      {"Placeholders", with_key(placeholders(40), 40, "patterns: { get: { get: P } }\n")},
      {"IdsInNoKey",
       "design: 1\nname: s\ntable: { name: shop, hash: PK }\nentities:\n"
       "  P: { key: { PK: P#<id> }, ids: { id: string, lost: string } }\n"},
      {"Templates", "design: 1\nname: s\ntable: { name: shop, hash: PK, range: SK }\nentities:\n" +
                        lines(70, "  E$: { key: { PK: " + std::string(2000, 'x') + ", SK: $ } }\n")},
      {"Parameters", with_key("<i0>", 900, "operations:\n" + lines(60, "  o$: { steps: [ { put: P } ] }\n"))},
      {"ExamplesOfPermissions",
       with_groups("    examples: [ { PK: GROUP#a, SK: META, permissions: [reports] } ]", "permissions", "")},
      {"PermissionsInOperations",
       with_groups("", "also",
                   "operations: { mk: { steps: [ { put: Group, set: { also: \"'reports'\" } } ] } }")},
      {"CopiedGroups", with_groups("", "permissions",
                                   "copies: { mm: { kind: mirror, from: Source, to: Member, carry: [x] } }")},
  };
}

class Stored : public testing::TestWithParam<OldDesign> {};

TEST_P(Stored, DesignsAreNotRefusedByNewerRules) {
  const auto has_errors = [](const Loaded& loaded) {
    return std::ranges::any_of(loaded.diagnostics,
                               [](const Diagnostic& one) { return one.severity == Severity::Error; });
  };
  EXPECT_TRUE(has_errors(load(GetParam().text, "file.yaml")));
  const Loaded stored = load_stored(GetParam().text, "file.yaml");
  EXPECT_TRUE(stored.design.has_value()) << errors_of(stored, GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(Rules, Stored, testing::ValuesIn(old_designs()),
                         [](const auto& old) { return old.param.rule; });

TEST(Stored, DesignsWithMistakesOfAllTimesAreRefused) {
  EXPECT_FALSE(load_stored(with_attributes("      x: { type: string, derive: nothing }\n"), "x.yaml").design);
  // The mistake comes after more errors than are shown.
  EXPECT_FALSE(load_stored(with_attributes(lines(120, "      r$: { type: string, pattern: '(?=a)b' }\n") +
                                           "      x: { type: string, derive: nothing }\n"),
                           "x.yaml")
                   .design);
  const Loaded many =
      load_stored(with_attributes(lines(2000, "      x$: { type: string, derive: nothing }\n")), "x");
  EXPECT_FALSE(many.design);
  EXPECT_EQ(many.diagnostics.size(), 101U);
}

// ---- Reading

const std::string& shop_text() {
  static const std::string text = text_of_file(kTestdata / "shop.yaml");
  return text;
}

const Design& shop() {
  static const Loaded loaded = load(shop_text(), "shop.yaml");
  EXPECT_EQ(errors_of(loaded, shop_text()), "");
  return *loaded.design;
}

std::vector<std::string> shown(const std::vector<Parameter>& parameters) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : parameters)
    texts.push_back(parameter.name + ": " + type_text(parameter.form.type) + (parameter.required ? "" : "?"));
  return texts;
}

std::vector<std::string> shown(const std::vector<Assignment>& assignments) {
  std::vector<std::string> texts;
  for (const Assignment& one : assignments) texts.push_back(one.field + " = " + one.value.text());
  return texts;
}

TEST(Patterns, HaveTheParametersTheyUse) {
  EXPECT_THAT(shown(shop().find_pattern("ofShop")->parameters), ElementsAre("id: string", "start: string"));
  EXPECT_THAT(shown(shop().find_pattern("soldBefore")->parameters), ElementsAre("until: timestamp?"));
  EXPECT_THAT(shown(shop().find_pattern("ofYear")->parameters),
              ElementsAre("y: integer", "stock: integer", "other: string"));
  EXPECT_THAT(shown(shop().find_pattern("both")->parameters),
              ElementsAre("until: timestamp?", "y: integer", "stock: integer", "other: string"));
  EXPECT_TRUE(shop().find_pattern("ofYear")->backwards);
}

const Design& bookings() {
  static const Loaded loaded = load(text_of_file(kTestdata / "bookings.yaml"), "bookings.yaml");
  EXPECT_TRUE(loaded.design);
  return *loaded.design;
}

TEST(Parameters, AreDaysWhereAKeyShowsTheDayOfATime) {
  EXPECT_THAT(shown(bookings().find_pattern("visit")->parameters),
              ElementsAre("roomId: string", "at: date", "visitId: string"));
  EXPECT_THAT(shown(bookings().find_pattern("visitsOfDay")->parameters), ElementsAre("day: date"));
  EXPECT_THAT(shown(bookings().find_pattern("visitsBetween")->parameters),
              ElementsAre("roomId: string", "first: date", "last: date"));
  EXPECT_THAT(shown(bookings().find_operation("come")->parameters), Contains("at: timestamp(epoch_ms)"));
  EXPECT_THAT(shown(bookings().find_operation("note")->parameters), Contains("at: date"));
}

TEST(Parameters, HaveTheFormOfWhatTheyAreComparedWithOrAddedTo) {
  const Loaded loaded = load(R"(design: 1
name: shelf
table: { name: shelf, hash: PK, range: SK }
entities:
  Book:
    key: { PK: BOOK#<id>, SK: META }
    attributes: { id: string, price: number, stock: integer, title: string }
patterns:
  dear: { scan: Book, filter: "price > :least AND :words = title AND size(title) > :n", accept: { scan: few } }
operations:
  add: { steps: [ { put: Book } ] }
  sell: { steps: [ { update: Book, set: { stock: "stock - :quantity" } } ] }
)",
                             "shelf.yaml");
  ASSERT_TRUE(loaded.design);
  EXPECT_THAT(shown(loaded.design->find_pattern("dear")->parameters),
              ElementsAre("least: number", "words: string", "n: string"));
  EXPECT_THAT(shown(loaded.design->find_operation("sell")->parameters),
              ElementsAre("id: string", "quantity: integer"));
}

TEST(Operations, TakeWhatIsNotSaidFromParameters) {
  const Operation& add = *shop().find_operation("add");
  EXPECT_THAT(shown(add.parameters), ElementsAre("shop: string", "product: string?", "name: string",
                                                 "year: integer?", "stock: integer?"));
  EXPECT_THAT(shown(add.steps.front().key), ElementsAre("shop = :shop", "product = :product"));
  const Operation& rename = *shop().find_operation("rename");
  EXPECT_THAT(shown(rename.parameters),
              ElementsAre("shop: string", "product: string", "to: string", "year: integer?"));
  EXPECT_THAT(shown(rename.steps.front().set), ElementsAre("name = :to", "year = :year"));
  EXPECT_THAT(shown(shop().find_operation("sell")->parameters),
              ElementsAre("shop: string", "product: string", "name: string"));
}

TEST(Operations, ReturnWhatTheirOnlyStepPuts) {
  EXPECT_EQ(bookings().find_operation("book")->returns, bookings().find_operation("book")->steps.front().as);
  EXPECT_NE(bookings().find_operation("book")->returns, "");
  EXPECT_EQ(bookings().find_operation("move")->returns, "");
}

TEST(Operations, ReturnWhatTheyPutWhateverItsFieldsAreCalled) {
  const Loaded loaded = load(R"(
design: 1
name: shelf
table: { name: shelf, hash: PK }
entities:
  Book: { key: { PK: "BOOK#<id>" }, attributes: { id: string, created: { type: timestamp, auto: create } } }
patterns: { book: { get: Book } }
operations:
  add: { steps: [ { put: Book } ] }
)",
                             "shelf.yaml");
  ASSERT_TRUE(loaded.design);
  const Operation& add = *loaded.design->find_operation("add");
  EXPECT_EQ(add.returns, add.steps.front().as);
  EXPECT_NE(add.returns, "created");
}

TEST(Operations, TakeTheKeyOfAnEachFromWhatWasFound) {
  const Operation& clear = *shop().find_operation("clear");
  EXPECT_THAT(shown(clear.steps.front().key), ElementsAre("shop = found.shop", "product = found.product"));
  EXPECT_THAT(shown(clear.parameters), ElementsAre("id: string", "start: string"));
}

TEST(Indexes, HaveTheTypeOfTheFieldThatIsTheirKey) {
  EXPECT_EQ(shop().find_index("byYear")->hash.type, Type::Number);
  EXPECT_EQ(shop().find_index("byState")->hash.type, Type::String);
}

// ---- Any text

RC_GTEST_PROP(Load, ReadsAnyText, (const std::string& text)) { load(text, "file.yaml"); }

// Designs that are nearly right, with a line missing, a line twice or a character changed, reach further than
// random text.
RC_GTEST_PROP(Load, ReadsDesignsWithMistakes, ()) {
  std::vector<std::string> lines;
  std::istringstream stream(shop_text());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const int mistakes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < mistakes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, lines.size());
    const auto place = *rc::gen::inRange<std::size_t>(0, lines[at].size() + 1);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        lines[at].erase(place, 1);
        break;
      default:
        lines[at].insert(place, 1, *rc::gen::elementOf(std::string("<>#:{}[], x\"")));
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const Loaded loaded = load(text, "file.yaml");
  RC_ASSERT(loaded.design.has_value() == !has_errors(loaded.diagnostics));
}

}  // namespace
}  // namespace tavola::design
