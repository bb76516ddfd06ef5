#include "workshop/cost/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop/test_golden.h"
#include "yaml/parse.h"

namespace tavola::workshop {
namespace {

using testing::HasSubstr;

Prices standard() {
  const auto prices = parse_prices(standard_prices());
  EXPECT_TRUE(prices) << (prices ? "" : prices.error().message());
  return prices.value_or(Prices{});
}

CapacityPlan planned(const design::Design& design) {
  const auto plan = plan_capacity(design, standard());
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message());
  return plan.value_or(CapacityPlan{});
}

TEST(Prices, TheStandardList) {
  const Prices prices = standard();
  EXPECT_EQ(prices.region, "us-east-1");
  EXPECT_EQ(prices.date, "2024-11-01");
  EXPECT_EQ(prices.read_million, 0.125_n);
  EXPECT_EQ(prices.write_unit_hour, 0.00065_n);
  EXPECT_EQ(standard_prices(), read_text(TAVOLA_SOURCE_DIR "/src/workshop/prices/us-east-1.yaml"));
}

TEST(Prices, WhatIsWrongIsToldWithItsLine) {
  std::string text(standard_prices());
  const auto message = [](const std::string& list) {
    const auto prices = parse_prices(list);
    return prices ? "" : prices.error().message();
  };
  const auto with = [&](std::string_view what, std::string_view by) {
    std::string changed = text;
    return changed.replace(changed.find(what), what.size(), by);
  };
  EXPECT_THAT(message(with("region:", "place:")), HasSubstr("region is missing"));
  EXPECT_THAT(message(with("gb_month: 0.25", "gb_month: dear")),
              HasSubstr("storage.gb_month must be a price"));
  EXPECT_THAT(message(with("0.625", "-1")), HasSubstr("on_demand.write_million must be a price"));
  EXPECT_THAT(message(with("read_million:", "read_millions:")),
              HasSubstr("on_demand.read_million is missing (line 8)"));
  EXPECT_THAT(message("{"), HasSubstr("is not YAML"));
  EXPECT_THAT(message("[1]"), HasSubstr("region is missing"));
}

// One item of one entity, read or written a given number of times a day.
design::Design simple(const std::string& daily) {
  return load_design(R"(design: 1
name: simple
table: { name: simple, hash: PK }
entities:
  Thing:
    key: { PK: THING#<id> }
    attributes:
      id: { type: string, required: true, max_length: 20 }
patterns:
  get: { get: Thing }
operations:
  put: { steps: [ { put: Thing } ] }
capacity:
  One: { items: { Thing: 1000000 }, daily: { )" +
                     daily + " } }\n");
}

TEST(Plan, ReadsAreHalfAUnit) {
  const SizePlan size = planned(simple("get: 1000000")).sizes.at(0);
  EXPECT_EQ(size.read_units, Number(500000));
  EXPECT_EQ(size.write_units, Number(0));
  // 500,000 a day are 15 million a month, at 0.125.
  EXPECT_EQ(size.on_demand, 1.875_n);
  // A tenth in the busiest hour: 13.9 a second, 19.8 of capacity at 70 %.
  EXPECT_EQ(size.read_capacity, 20);
  EXPECT_EQ(size.write_capacity, 1);
  // 20 × 0.00013 × 720 + 1 × 0.00065 × 720
  EXPECT_EQ(size.provisioned, 2.34_n);
  // 500,000 / 2520 = 199 unit hours a day at 0.00013, and one write unit at least.
  EXPECT_EQ(size.auto_scaled, 1.2441_n);
  EXPECT_FALSE(size.is_on_demand_cheapest);
}

TEST(Plan, LittleIsCheapestOnDemand) {
  const SizePlan size = planned(simple("put: 100")).sizes.at(0);
  EXPECT_EQ(size.write_units, Number(100));
  EXPECT_EQ(size.on_demand, 0.001875_n);
  EXPECT_TRUE(size.is_on_demand_cheapest);
}

TEST(Plan, StoresItemsWithWhatDynamoDBAdds) {
  const SizePlan size = planned(simple("put: 1")).sizes.at(0);
  // PK and THING#<id>: 28, id: 22, and 100 of DynamoDB's own; a million of them.
  EXPECT_EQ(size.stored_bytes, Number(150'000'000));
  EXPECT_EQ(size.storage, 0.0375_n);
}

// A shelf with many books, each with a unique number, that are lent once for each request.
design::Design shelves(const std::string& list) {
  return load_design(R"(design: 1
name: shelves
table: { name: shelves, hash: PK, range: SK }
indexes:
  byTitle: { hash: title, project: all }
entities:
  Shelf:
    key: { PK: SHELF#<shelf>, SK: META }
    ids: { shelf: string }
  Book:
    key: { PK: SHELF#<shelf>, SK: BOOK#<book> }
    index: { byTitle: { hash: <title> } }
    ids: { shelf: string, book: string }
    attributes:
      number: { type: string, required: true, unique: true }
      title: { type: string, required: true, max_length: 2000 }
  Loan:
    key: { PK: LOAN#<loan>, SK: META }
    ids: { loan: string }
patterns:
  booksOf: { query: Book, via: table, hash: SHELF#<shelf>, range: begins_with BOOK# )" +
                     list + R"( }
operations:
  lend:
    idempotent_by: loan
    steps: [ { put: Loan, exists: false } ]
capacity:
  One: { items: { Shelf: 1, Book: 10000, Loan: 500 }, daily: { booksOf: 1 } }
)");
}

TEST(Plan, ALongListIsReadInPages) {
  const SizePlan size = planned(shelves("")).sizes.at(0);
  // 10,000 items of about 600 bytes.
  EXPECT_EQ(size.loads.at(0).pages, 6);
  EXPECT_GT(size.read_units, Number(700));
  const SizePlan limited = planned(shelves(", limit: 20")).sizes.at(0);
  EXPECT_EQ(limited.loads.at(0).pages, 1);
  EXPECT_LT(limited.read_units, Number(5));
}

TEST(Plan, TheTableAndEachIndexHaveAtLeastOneUnit) {
  const SizePlan size = planned(shelves(", limit: 1")).sizes.at(0);
  EXPECT_EQ(size.read_capacity, 2);
  EXPECT_EQ(size.write_capacity, 2);
  EXPECT_EQ(size.auto_scaled, size.provisioned);
}

TEST(Plan, GuardsAndRecordsOfOperationsAreStored) {
  design::Design design = shelves("");
  const SizePlan with = planned(design).sizes.at(0);
  EXPECT_EQ(with.internal_records, Number(10500));
  design.operations.clear();
  const SizePlan without = planned(design).sizes.at(0);
  EXPECT_EQ(*(with.stored_bytes - without.stored_bytes), Number(500 * (400 + 100)));
}

TEST(Plan, NumbersBeyondReasonAreRefused) {
  design::Design design = simple("put: 1");
  design.capacity[0].daily[0].second = Number::from_parts(false, 1, 100);
  EXPECT_FALSE(plan_capacity(design, standard()));
}

TEST(Plan, OfASmallDesign) {
  const CapacityPlan plan = planned(library());
  expect_golden("library/plan.txt", to_text(plan));
  expect_golden("library/plan.json", to_json(plan) + "\n");
  EXPECT_TRUE(plan.sizes.at(0).is_on_demand_cheapest);
  EXPECT_FALSE(plan.sizes.at(1).is_on_demand_cheapest);
}

TEST(Plan, WithoutCapacityThereIsNone) {
  design::Design design = library();
  design.capacity.clear();
  EXPECT_THAT(to_text(planned(design)), HasSubstr("has no capacity section"));
}

TEST(Plan, LargerSizesCostMore) {
  for (const std::string& file : design_files()) {
    SCOPED_TRACE(file);
    const CapacityPlan plan = planned(design_of(file));
    EXPECT_TRUE(yaml::parse(to_json(plan)).problems.empty());
    for (std::size_t i = 1; i < plan.sizes.size(); ++i) {
      EXPECT_GT(plan.sizes[i].on_demand, plan.sizes[i - 1].on_demand);
      EXPECT_GT(plan.sizes[i].storage, plan.sizes[i - 1].storage);
      EXPECT_GE(plan.sizes[i].write_capacity, plan.sizes[i - 1].write_capacity);
    }
  }
}

// INV7: the sizes that the inventory names, with the modes that it asks for.
TEST(Plan, OfTheInventory) {
  const CapacityPlan plan = planned(design_of("InventorySystem.yaml"));
  ASSERT_EQ(plan.sizes.size(), 3U);
  EXPECT_TRUE(plan.sizes[0].is_on_demand_cheapest) << to_text(plan);
  EXPECT_TRUE(plan.sizes[1].is_on_demand_cheapest) << to_text(plan);
  EXPECT_FALSE(plan.sizes[2].is_on_demand_cheapest) << to_text(plan);
}

}  // namespace
}  // namespace tavola::workshop
