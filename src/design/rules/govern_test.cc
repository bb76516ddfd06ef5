// The write rule by examples: testdata/govern/*.yaml, each on one of our designs.
#include "design/rules/govern.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/language/reading.h"
#include "design/load.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "design/rules/test_asked_update.h"
#include "design/rules/test_empty_table.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

std::optional<Item> image(const yaml::Node* node) {
  return node == nullptr ? std::nullopt : std::optional<Item>(plain_value(*node).map());
}

std::string key_text(const Design& design, const Item& key) {
  const std::string hash = key.at(design.table.hash.name).string();
  if (hash.starts_with('$')) return hash;
  return hash + " / " + key.at(design.table.range->name).string();
}

std::string shown(const Design& design, const DependentWrite& dependent) {
  using Kind = DependentWrite::Kind;
  const std::string key = key_text(design, dependent.key);
  switch (dependent.kind) {
    case Kind::Put:
      return "put " + key;
    case Kind::Delete:
      return "delete " + key;
    case Kind::Claim:
      return "claim " + key;
    case Kind::Add:
      break;
  }
  std::string text = "add " + key;
  for (const auto& [attribute, number] : dependent.numbers)
    text += " " + attribute + " " + number.to_string();
  return text;
}

void expect_error(const Result<Governed>& governed, ErrorCode code, const std::string& words) {
  ASSERT_FALSE(governed) << to_plain_json(governed->item.value_or(Item()));
  EXPECT_EQ(governed.error().code(), code) << governed.error().message();
  EXPECT_NE(governed.error().message().find(words), std::string::npos) << governed.error().message();
}

void expect_item(const Design& design, const Governed& governed, const yaml::Node& one) {
  if (const yaml::Node* then = one.find("then")) {
    ASSERT_TRUE(governed.item);
    const Value expected = plain_value(*then);
    for (const auto& [name, value] : expected.map()) {
      const auto found = governed.item->find(name);
      if (value.is_null()) {
        EXPECT_EQ(found, governed.item->end()) << name << " is " << to_plain_json(found->second);
      } else {
        ASSERT_NE(found, governed.item->end()) << name << " is absent";
        EXPECT_EQ(found->second, value) << name << " is " << to_plain_json(found->second);
      }
    }
  }
  std::vector<std::string> dependent_writes;
  for (const DependentWrite& dependent : governed.dependent_writes)
    dependent_writes.push_back(shown(design, dependent));
  std::vector<std::string> also;
  if (const yaml::Node* said = one.find("also")) {
    for (const yaml::Node& node : said->items) also.push_back(node.text);
  }
  EXPECT_EQ(dependent_writes, also);
}

// Returns the update of a case with `assigns`: the attributes, and what its condition `demands` of the item.
std::optional<DescribedUpdate> update_of_case(const yaml::Node& one) {
  const yaml::Node* const assigned = one.find("assigns");
  if (assigned == nullptr) return std::nullopt;
  std::set<std::string, std::less<>> names;
  for (const yaml::Node& name : assigned->items) names.insert(name.text);
  return DescribedUpdate(std::move(names), image(one.find("demands")).value_or(Item()));
}

// Governs one write as the only one of its request.
Result<Governed> govern_alone(const Design& design, const WantedItem& wanted, const Ambient& ambient) {
  const std::optional<Item>& before = wanted.before;
  Result<Governed> governed = govern(design, wanted, ambient, EmptyTable());
  if (!governed) return governed;
  for (const std::string& message : {governed->only_with_its_source, governed->sent_counters.message}) {
    const bool begins = message == governed->sent_counters.message && !before &&
                        std::ranges::all_of(governed->sent_counters.values, [](const auto& sent) {
                          return sent.second.is_number() && sent.second.number().is_zero();
                        });
    if (!message.empty() && !begins) return fail(Error::validation(message));
  }
  return governed;
}

class GovernTest : public testing::TestWithParam<std::string> {};

TEST_P(GovernTest, Examples) {
  const std::filesystem::path source = TAVOLA_SOURCE_DIR;
  const yaml::Document document =
      yaml::parse(text_of_file(source / "src/design/testdata/govern" / (GetParam() + ".yaml")));
  ASSERT_TRUE(document.problems.empty())
      << document.problems.front().message << document.problems.front().span.begin.line;
  const std::filesystem::path file = source / "designs" / document.root.find("design")->text;
  const Loaded loaded = load(text_of_file(file), file.filename());
  ASSERT_TRUE(loaded.design);
  const Ambient ambient{.now = parse_iso8601(document.root.find("now")->text).value(),
                        .random = &Random::system()};
  for (const yaml::Node& one : document.root.find("cases")->items) {
    SCOPED_TRACE(one.find("name")->text);
    const std::optional<DescribedUpdate> update = update_of_case(one);
    const Result<Governed> governed = govern_alone(
        *loaded.design, {image(one.find("before")), image(one.find("after")), update ? &*update : nullptr},
        ambient);
    if (const yaml::Node* refused = one.find("refused")) {
      expect_error(governed, ErrorCode::Validation, refused->text);
    } else if (const yaml::Node* conflict = one.find("conflict")) {
      expect_error(governed, ErrorCode::ConditionalCheckFailed, conflict->text);
    } else {
      ASSERT_TRUE(governed) << governed.error().message();
      expect_item(*loaded.design, *governed, one);
      // The rule is idempotent: applied to its own result it changes nothing.
      if (governed->item) {
        const Result<Governed> again =
            govern_alone(*loaded.design, {governed->item, governed->item}, ambient);
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(again->item, governed->item);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, GovernTest,
                         testing::Values("InventorySystem", "text-analyzer-history", "aura-historia-data",
                                         "fus-main", "bookings"),
                         [](const auto& design) {
                           std::string name = design.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tavola::design
