// Rules in entities, and the designs of designs/: their examples are items that decode and complete to
// themselves.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "design/items/entity_item.h"
#include "design/load.h"

namespace tavola::design {
namespace {

Design loaded(const std::string& text, const std::string& file) {
  Loaded result = load(text, file);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::Error) ADD_FAILURE() << to_text(diagnostic, text);
  }
  return result.design ? *std::move(result.design) : Design();
}

Ambient noon() { return {WallTime(std::chrono::milliseconds(1'706'702'400'000)), nullptr}; }

constexpr const char* kShop = R"(
design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
indexes:
  low: { hash: lowOf, range: lowSk, project: all }
entities:
  Sale:
    key: { PK: SALE#<id>, SK: META }
    index: { low: { hash: <status>, range: <id>, when: quantity < 3 } }
    attributes:
      id: { type: string, required: true }
      label: { value: <total>-<id> }
      total: { type: number, derive: quantity * price }
      quantity: { type: integer, default: 1 }
      price: { type: number, required: true }
      until: { type: timestamp, derive: now() + 1h }
      status: { type: enum, values: [OPEN, FAILED], default: OPEN }
      error: { type: string, when: status = FAILED }
)";

std::string completed(const Design& design, Item fields) {
  const auto result = complete(design.entities.front(), std::move(fields), Occasion::Creation, noon());
  return result ? to_json(*result) : result.error().message();
}

TEST(EntityRules, AreComputedInTheOrderOfTheirNeeds) {
  const Design design = loaded(kShop, "shop.yaml");
  ASSERT_FALSE(design.entities.empty());
  EXPECT_EQ(completed(design, {{"id", "1"}, {"price", 29.99_n}, {"quantity", 2}, {"total", 7}}),
            to_json(Item{{"id", "1"},
                         {"price", 29.99_n},
                         {"quantity", 2},
                         {"total", 59.98_n},
                         {"label", "59.98-1"},
                         {"status", "OPEN"},
                         {"until", "2024-01-31T13:00:00Z"}}));
}

TEST(EntityRules, SayWhenAFieldIsThere) {
  const Design design = loaded(kShop, "shop.yaml");
  ASSERT_FALSE(design.entities.empty());
  EXPECT_EQ(completed(design, {{"id", "1"}, {"price", 1}, {"error", "x"}}),
            "error is only allowed when status = FAILED");
  EXPECT_EQ(completed(design, {{"id", "1"}, {"price", 1}, {"status", "FAILED"}}),
            "error is required when status = FAILED");
  EXPECT_TRUE(
      completed(design, {{"id", "1"}, {"price", 1}, {"status", "FAILED"}, {"error", "x"}}).starts_with("{"));
}

TEST(EntityRules, SayWhenAnItemIsInAnIndex) {
  const Design design = loaded(kShop, "shop.yaml");
  ASSERT_FALSE(design.entities.empty());
  const Entity& sale = design.entities.front();
  const Item few{{"id", "1"}, {"status", "OPEN"}, {"quantity", 2}};
  const Item many{{"id", "1"}, {"status", "OPEN"}, {"quantity", 3}};
  EXPECT_EQ(index_keys_of(design, sale, few).value(), (Item{{"lowOf", "OPEN"}, {"lowSk", "1"}}));
  EXPECT_EQ(index_keys_of(design, sale, many).value(), Item());
}

TEST(DesignItems, ExamplesDecodeAndComeBack) {
  int examples = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TAVOLA_SOURCE_DIR "/designs")) {
    if (entry.path().extension() != ".yaml" || entry.path().stem().extension() == ".cases") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const Design design = loaded(text.str(), entry.path().filename());
    for (const Entity& entity : design.entities) {
      for (const Example& example : entity.examples) {
        SCOPED_TRACE(design.name + " " + entity.name + " " + to_json(example.item));
        ++examples;
        const Decoded decoded = decode(design, example.item);
        ASSERT_EQ(decoded.entity, &entity) << decoded.why_none;
        Item fields = decoded.fields;
        for (const auto& [lifecycle, state] : example.states) fields[lifecycle] = state;
        const auto item = to_item(design, entity, fields);
        ASSERT_TRUE(item) << item.error().message();
        for (const auto& [name, value] : example.item) EXPECT_EQ(item->at(name), value) << name;
        for (const auto& [name, value] : example.index_keys) EXPECT_EQ(item->at(name), value) << name;
        const Decoded again = decode(design, *item);
        ASSERT_EQ(again.entity, &entity) << again.why_none;
        for (const auto& [name, value] : fields) EXPECT_EQ(again.fields.at(name), value) << name;
      }
    }
  }
  EXPECT_GT(examples, 0);
}

}  // namespace
}  // namespace tavola::design
