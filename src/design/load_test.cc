#include "design/load.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/test_files.h"
#include "design/problems.h"

namespace tavola::design {
namespace {

namespace fs = std::filesystem;
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
  const std::string text = read_file(GetParam());
  const Loaded loaded = load(text, GetParam().filename().string());
  EXPECT_EQ(errors_of(loaded, text), "");
  EXPECT_TRUE(loaded.design.has_value());
}
INSTANTIATE_TEST_SUITE_P(Files, Drafts, testing::ValuesIn(files_in(kTestdata / "drafts")), file_name);

// ---- testdata/errors: below a line stands what is wrong with it, and the ^ where. `#<` is the first column.

std::string note_of(const Diagnostic& error) {
  const std::uint32_t column = error.span.begin.column;
  return (column == 1 ? "#< " : "#" + std::string(column - 2, ' ') + "^ ") + error.code + ": " +
         error.message;
}

bool is_note(const std::string& line) { return line.starts_with("#"); }

// The file as it would be if what it says of itself were true.
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
  const std::string text = read_file(GetParam());
  EXPECT_EQ(annotated(text), text);
  EXPECT_FALSE(load(text, "file.yaml").design.has_value());
}
INSTANTIATE_TEST_SUITE_P(Files, Errors, testing::ValuesIn(files_in(kTestdata / "errors")), file_name);

TEST(Errors, OfEveryCodeAreTested) {
  for (const ErrorKind& kind : error_kinds()) {
    const fs::path file = kTestdata / "errors" / (std::string(kind.code) + ".yaml");
    EXPECT_TRUE(read_file(file).contains(" " + std::string(kind.code) + ": ")) << file;
  }
}

TEST(Errors, SayWhyAndWhatToDo) {
  for (const fs::path& file : files_in(kTestdata / "errors")) {
    for (const Diagnostic& error : load(read_file(file), "file.yaml").diagnostics) {
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

// ---- What is read

const std::string& shop_text() {
  static const std::string text = read_file(kTestdata / "shop.yaml");
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

// A line less, a line twice, a character changed: designs that are nearly right reach further than any random text.
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
