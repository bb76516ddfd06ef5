#include "workshop/exchange/infer.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "design/items/table_schema.h"
#include "workshop/test_designs.h"

namespace tavola::workshop {
namespace {

using design::Design;
using design::Entity;

TableDescription description_of(const Design& design) {
  const CreateTableRequest request = design::table_schema(design);
  TableDescription table;
  table.table_name = request.table_name;
  table.attribute_definitions = request.attribute_definitions;
  table.key_schema = request.key_schema;
  table.global_indexes = request.global_indexes;
  table.local_indexes = request.local_indexes;
  table.billing_mode = request.billing_mode;
  return table;
}

// Removes names: SHOP#<shopId> and SHOP#<shop> differ in a name only.
std::string without_names(const std::string& text) {
  std::string out;
  bool is_inside = false;
  for (const char c : text) {
    if (c == '>') is_inside = false;
    if (!is_inside) out += c;
    if (c == '<') is_inside = true;
  }
  return out;
}

std::set<std::string> shapes_of(const Design& design) {
  std::set<std::string> shapes;
  for (const Entity& entity : design.entities) {
    shapes.insert(without_names(entity.hash.text() + " / " + (entity.range ? entity.range->text() : "")));
  }
  return shapes;
}

class InferFrom : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Designs, InferFrom, testing::ValuesIn(design_files()), test_name);

TEST_P(InferFrom, FindsTheEntitiesAndTheirKeys) {
  const Design& design = design_of(GetParam());
  for (const Size size : {Size::Small, Size::Medium}) {
    const std::string text = infer(description_of(design), sampled_items(design, size));
    EXPECT_EQ(shapes_of(load_design(text)), shapes_of(design)) << text;
  }
}

TEST_P(InferFrom, TheDraftExplainsEveryItem) {
  const Design& design = design_of(GetParam());
  const std::vector<Item> items = sampled_items(design, Size::Medium);
  const Design draft = load_design(infer(description_of(design), items));
  for (const Item& item : items) {
    const design::Decoded decoded = design::decode(draft, item);
    ASSERT_NE(decoded.entity, nullptr) << decoded.why_none;
    const Result<Item> again = design::to_item(draft, *decoded.entity, decoded.fields);
    ASSERT_TRUE(again) << again.error().message() << to_json(item);
    // The key templates of the draft reproduce the stored keys.
    EXPECT_EQ(again->at(draft.table.hash.name), item.at(draft.table.hash.name));
    EXPECT_EQ(again->at(draft.table.range->name), item.at(draft.table.range->name));
  }
}

// ---- Ten sample tables, as other tools and people make them

struct Score {
  int right = 0;
  int all = 0;
  std::string wrong;

  void add(const std::string& expected, const std::string& actual) {
    ++all;
    right += expected == actual ? 1 : 0;
    if (expected != actual) wrong += "  " + expected + " was drafted as " + actual + "\n";
  }
};

std::string keys_text(const Entity& entity) {
  std::string text = entity.hash.text() + (entity.range ? " / " + entity.range->text() : "");
  for (const design::IndexEntry& entry : entity.indexes) {
    text += "  " + entry.index + ": " + entry.hash.from->text();
    if (entry.range && entry.range->from) text += " / " + entry.range->from->text();
  }
  return text;
}

// Returns the entity of the draft with the same keys but for names of placeholders; null if there is none.
const Entity* drafted(const Design& draft, const Entity& entity) {
  for (const Entity& one : draft.entities) {
    if (without_names(keys_text(one)) == without_names(keys_text(entity))) return &one;
  }
  return nullptr;
}

TEST(Infer, TenSampleTables) {
  Score shapes;
  Score keys;
  Score names;
  int tables = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(TAVOLA_SOURCE_DIR "/src/workshop/testdata/tables")) {
    ++tables;
    const Design design = load_design(read_text(file.path()));
    const std::string text = infer(description_of(design), sampled_items(design, Size::Small));
    const Design draft = load_design(text);
    for (const Entity& entity : design.entities) {
      const Entity* const found = drafted(draft, entity);
      std::string all;
      for (const Entity& one : draft.entities) all += "\n    " + one.name + ": " + keys_text(one);
      shapes.add(without_names(keys_text(entity)), found == nullptr ? all : without_names(keys_text(*found)));
      keys.add(keys_text(entity), found == nullptr ? "nothing" : keys_text(*found));
      names.add(entity.name, found == nullptr ? "nothing" : found->name);
    }
  }
  EXPECT_EQ(tables, 10);
  EXPECT_EQ(shapes.right, shapes.all) << shapes.wrong;
  // Parts of keys that no attribute repeats have no name in the items: these are guessed.
  EXPECT_EQ(keys.right, keys.all) << keys.wrong;
  EXPECT_EQ(names.right, names.all) << names.wrong;
}

TEST(Infer, NamesKeyPartsAfterAttributesAndTypesAttributes) {
  TableDescription table;
  table.table_name = "orders";
  table.attribute_definitions = {{"pk", Type::String}, {"sk", Type::String}};
  table.key_schema = {{"pk", KeyType::Hash}, {"sk", KeyType::Range}};
  std::vector<Item> items;
  for (int i = 0; i < 40; ++i) {
    const std::string customer = "c" + std::to_string(i % 7);
    items.push_back(
        {{"pk", "CUSTOMER#" + customer},
         {"sk", "ORDER#2024-01-0" + std::to_string(i % 9 + 1) + "T00:00:00Z#" + std::to_string(i)},
         {"customerId", customer},
         {"placedAt", "2024-01-0" + std::to_string(i % 9 + 1) + "T00:00:00Z"},
         {"orderNumber", i},
         {"paid", i % 2 == 0},
         {"status", i % 2 == 0 ? "OPEN" : "SENT"}});
    if (i % 3 == 0) items.back().emplace("total", Number(i));
  }
  const Design draft = load_design(infer(table, items));
  ASSERT_EQ(draft.entities.size(), 1U);
  const Entity& order = draft.entities.front();
  EXPECT_EQ(order.name, "Order");
  EXPECT_EQ(order.hash.text(), "CUSTOMER#<customerId>");
  EXPECT_EQ(order.range->text(), "ORDER#<placedAt>#<orderNumber>");
  const auto type_of = [&](std::string_view field) {
    return design::type_text(order.find_field(field)->type);
  };
  EXPECT_EQ(type_of("placedAt"), "timestamp");
  EXPECT_EQ(type_of("paid"), "boolean");
  EXPECT_EQ(type_of("total"), "integer");
  EXPECT_EQ(order.find_field("status")->values, (std::vector<std::string>{"OPEN", "SENT"}));
  EXPECT_TRUE(order.find_field("paid")->required);
  EXPECT_FALSE(order.find_field("total")->required);
}

TEST(Infer, AnEmptyTableHasOneKindOfItem) {
  TableDescription table;
  table.table_name = "empty";
  table.attribute_definitions = {{"id", Type::String}};
  table.key_schema = {{"id", KeyType::Hash}};
  EXPECT_EQ(load_design(infer(table, {})).entities.size(), 1U);
}

}  // namespace
}  // namespace tavola::workshop
