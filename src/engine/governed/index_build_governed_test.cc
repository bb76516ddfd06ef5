// Indexes of governed tables are created and deleted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/governed/design_rules.h"
#include "engine/governed/governed_schemas.h"
#include "engine/governed/governor.h"
#include "engine/indexes/index_build.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"

namespace tavola::engine {
namespace {

using testing::HasSubstr;

constexpr const char* kIndexedDesign = R"yaml(design: 1
name: library
table: { name: library, hash: PK, range: SK }
indexes:
  byShelf: { hash: shelfKey, range: SK, project: all }
entities:
  Book:
    key: { PK: BOOK#<book>, SK: META }
    ids: { book: string }
    index: { byShelf: { hash: SHELF#<shelf>, range: META } }
    attributes:
      title: { type: string, required: true, unique: true }
      shelf: string
patterns:
  onShelf: { query: Book, via: byShelf, hash: SHELF#<shelf> }
)yaml";

class BuildingGoverned : public testing::TestWithParam<StoreKind> {
 protected:
  BuildingGoverned() : db_(GetParam()) {
    table_ = design::table_schema(*design::load(kIndexedDesign, "library.yaml").design);
  }

  void create(const CreateTableRequest& request) {
    const auto created = db_->create_table(request);
    ASSERT_TRUE(created) << created.error().message();
    const auto governed =
        db_->govern_table({.table_name = "library", .design = kIndexedDesign, .file_name = "library.yaml"});
    ASSERT_TRUE(governed) << governed.error().message();
  }
  void put(int i, const std::string& title = "") {
    const std::string number = std::to_string(i);
    const auto done = db_->put_item({.table_name = "library",
                                     .item = *pack({{"PK", "BOOK#" + number},
                                                    {"SK", "META"},
                                                    {"title", title.empty() ? "Title " + number : title},
                                                    {"shelf", std::to_string(i % 4)}})});
    ASSERT_TRUE(done) << text_of(done.error());
  }
  std::string update(const UpdateTableRequest& request) {
    const auto updated = db_->update_table(request);
    return updated ? "updated" : text_of(updated.error());
  }
  static UpdateTableRequest creating(GlobalIndex index, std::vector<AttributeDefinition> definitions) {
    return {.table_name = "library",
            .attribute_definitions = std::move(definitions),
            .created_indexes = {std::move(index)}};
  }

  CreateTableRequest table_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, BuildingGoverned, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(BuildingGoverned, TheIndexesOfTheDesignStay) {
  create(table_);
  EXPECT_THAT(update({.table_name = "library", .deleted_indexes = {"byShelf"}}),
              HasSubstr("the design library of the table library has the index byShelf"));
  ASSERT_TRUE(db_->govern_table({.table_name = "library", .enforcement = Enforcement::Off}));
  EXPECT_EQ(update({.table_name = "library", .deleted_indexes = {"byShelf"}}), "updated");
}

TEST_P(BuildingGoverned, AnIndexOfTheDesignThatTheTableLacksIsCreatedAsItSays) {
  CreateTableRequest without = table_;
  without.global_indexes.clear();
  std::erase(without.attribute_definitions, AttributeDefinition{"shelfKey", Type::String});
  create(without);
  for (int i = 0; i < 20; ++i) put(i);
  const std::vector<AttributeDefinition> definitions{{"shelfKey", Type::String}, {"SK", Type::String}};
  GlobalIndex other = table_.global_indexes[0];
  other.key_schema.pop_back();
  EXPECT_THAT(update(creating(other, definitions)), HasSubstr("create it as the design says"));
  ASSERT_EQ(update(creating(table_.global_indexes[0], definitions)), "updated");
  for (int i = 0; !*db_->build_index("library", {.items = 3}); ++i)
    put(i, "Another title " + std::to_string(i));
  db_.expect_consistent("library");
  EXPECT_EQ(db_->describe_table({"library"})->table.index_statistics.at("byShelf").item_count, 20);
}

TEST_P(BuildingGoverned, AnIndexThatIsNotAsTheDesignSaysMayBeDeleted) {
  CreateTableRequest other = table_;
  other.global_indexes[0].projection = {ProjectionType::KeysOnly, {}};
  create(other);
  EXPECT_EQ(update({.table_name = "library", .deleted_indexes = {"byShelf"}}), "updated");
}

TEST_P(BuildingGoverned, AnotherIndexHoldsWhatTheDesignWrites) {
  create(table_);
  for (int i = 0; i < 20; ++i) put(i);
  ASSERT_EQ(update(creating({.name = "byTitle",
                             .key_schema = {{"title", KeyType::Hash}},
                             .projection = {ProjectionType::KeysOnly, {}}},
                            {{"title", Type::String}})),
            "updated");
  for (int i = 0; !*db_->build_index("library", {.items = 3}); ++i) {
    put(i, "Another title " + std::to_string(i));
    ASSERT_TRUE(db_->delete_item(
        {.table_name = "library", .key = *pack({{"PK", "BOOK#" + std::to_string(19 - i)}, {"SK", "META"}})}));
  }
  db_.expect_consistent("library");  // internal records (the unique titles) are in no index
  EXPECT_EQ(update({.table_name = "library", .deleted_indexes = {"byTitle"}}), "updated");
}

TEST_P(BuildingGoverned, WhatIsOlderThanAnIndexNeedNotFitItToBeUpdated) {
  create(table_);
  put(1);
  const auto key = [] { return *pack({{"PK", "BOOK#1"}, {"SK", "META"}}); };
  ASSERT_EQ(update(creating({.name = "byTitle", .key_schema = {{"title", KeyType::Hash}}},
                            {{"title", Type::Number}})),
            "updated");
  while (!*db_->build_index("library", {.items = 3})) {
  }
  const auto set = [&](const std::string& attribute, const std::string& value) {
    const auto done = db_->update_item({.table_name = "library",
                                        .key = key(),
                                        .update_expression = "SET " + attribute + " = :value",
                                        .values = *pack({{":value", value}})});
    return done ? "updated" : text_of(done.error());
  };
  EXPECT_EQ(set("shelf", "7"), "updated");
  EXPECT_THAT(set("title", "Another"), HasSubstr("Type mismatch for Index Key title"));
  db_.expect_consistent("library");
}

TEST_P(BuildingGoverned, AStepDoesNotCompileTheDesignAgain) {
  create(table_);
  for (int i = 0; i < 5; ++i) put(i);
  ASSERT_EQ(update(creating({.name = "byTitle", .key_schema = {{"title", KeyType::Hash}}},
                            {{"title", Type::String}})),
            "updated");
  GovernedSchemas governed_schemas(db_.store());
  Catalog catalog(db_.store(), Clock::system(), &governed_schemas);
  const SchemaPtr before = catalog.find("library").value();
  ASSERT_FALSE(build_some(catalog, "library", {.items = 1}).value());
  const SchemaPtr after = catalog.find("library").value();
  EXPECT_NE(before->record, after->record);
  ASSERT_NE(governor_of(*before), nullptr);
  EXPECT_EQ(governor_of(*before), governor_of(*after));
}

}  // namespace
}  // namespace tavola::engine
