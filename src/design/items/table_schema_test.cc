#include "design/items/table_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tavola::design {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

KeyAttribute key(std::string name, Type type = Type::String) { return {std::move(name), type, {}}; }

Design library() {
  Design design;
  design.table.name = "library";
  design.table.hash = key("PK");
  design.table.range = key("SK");
  Index& by_year = design.indexes.emplace_back();
  by_year.name = "byYear";
  by_year.hash = key("year", Type::Number);
  by_year.range = key("SK");
  by_year.projection = {ProjectionType::Include, {"title", "author"}};
  Index& by_size = design.indexes.emplace_back();
  by_size.name = "bySize";
  by_size.hash = key("PK");
  by_size.range = key("size", Type::Number);
  by_size.projection = {ProjectionType::KeysOnly, {}};
  by_size.local = true;
  return design;
}

TableDescription created(const CreateTableRequest& request) {
  return {.table_name = request.table_name,
          .attribute_definitions = request.attribute_definitions,
          .key_schema = request.key_schema,
          .global_indexes = request.global_indexes,
          .local_indexes = request.local_indexes,
          .billing_mode = request.billing_mode};
}

TEST(TableSchema, DefinesEachKeyAttributeOnce) {
  EXPECT_THAT(
      table_schema(library()).attribute_definitions,
      ElementsAre(AttributeDefinition{"PK", Type::String}, AttributeDefinition{"SK", Type::String},
                  AttributeDefinition{"year", Type::Number}, AttributeDefinition{"size", Type::Number}));
}

TEST(TableSchema, TellsLocalIndexesFromGlobalOnes) {
  const CreateTableRequest request = table_schema(library());
  ASSERT_EQ(request.global_indexes.size(), 1U);
  EXPECT_EQ(request.global_indexes[0].name, "byYear");
  EXPECT_THAT(request.global_indexes[0].projection.attributes, ElementsAre("title", "author"));
  ASSERT_EQ(request.local_indexes.size(), 1U);
  EXPECT_EQ(request.local_indexes[0].name, "bySize");
}

TEST(TableSchema, ThroughputOfProvisionedTablesAlone) {
  Design design = library();
  EXPECT_FALSE(table_schema(design).throughput);
  EXPECT_FALSE(table_schema(design).global_indexes[0].throughput);
  design.table.billing = BillingMode::Provisioned;
  EXPECT_EQ(table_schema(design).throughput, kFirstThroughput);
  EXPECT_EQ(table_schema(design).global_indexes[0].throughput, kFirstThroughput);
}

TEST(TableDifferences, OfWhatWasJustCreatedThereAreNone) {
  const CreateTableRequest wanted = table_schema(library());
  TableDescription found = created(wanted);
  EXPECT_THAT(differences(wanted, found), IsEmpty());
  std::ranges::reverse(found.global_indexes[0].projection.attributes);
  EXPECT_THAT(differences(wanted, found), IsEmpty()) << "the order of a projection says nothing";
}

TEST(TableDifferences, EachIsToldInALine) {
  const CreateTableRequest wanted = table_schema(library());
  TableDescription found = created(wanted);
  found.key_schema.pop_back();
  found.attribute_definitions[2].type = Type::String;
  found.global_indexes[0].name = "byAge";
  found.local_indexes[0].projection = {};
  found.billing_mode = BillingMode::Provisioned;
  EXPECT_THAT(differences(wanted, found),
              ElementsAre("the table has the keys PK HASH, not PK HASH, SK RANGE",
                          "attribute year has the type S, not N", "index byYear is missing",
                          "index byAge is not in the design", "index bySize projects ALL, not KEYS_ONLY",
                          "the billing mode is PROVISIONED, not PAY_PER_REQUEST"));
}

TEST(TableDifferences, KeysOfAnIndex) {
  const CreateTableRequest wanted = table_schema(library());
  TableDescription found = created(wanted);
  found.global_indexes[0].key_schema.pop_back();
  EXPECT_THAT(differences(wanted, found),
              ElementsAre("index byYear has the keys year HASH, not year HASH, SK RANGE"));
}

}  // namespace
}  // namespace tavola::design
