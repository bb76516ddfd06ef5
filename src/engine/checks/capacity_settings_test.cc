// OnDemandThroughput and WarmThroughput, as AWS answered in July and October 2026 (dynoxide 159; ack-api-quirks, DDB-TABLE-039,
// 051, 059, 061, 134, 153 and 155).
#include "engine/checks/capacity_settings.h"

#include <gtest/gtest.h>

#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

const std::string kInvalid = "ValidationException: One or more parameter values were invalid: ";

class CapacitySettings : public testing::Test {
 protected:
  CapacitySettings() : db_(StoreKind::Memory) { EXPECT_TRUE(db_->create_table(good_table("Things"))); }

  std::string create(const CreateTableRequest& request) {
    const auto created = db_->create_table(request);
    return created ? "created" : text_of(created.error());
  }
  std::string update(UpdateTableRequest request) {
    request.table_name = "Things";
    const auto updated = db_->update_table(request);
    return updated ? "updated" : text_of(updated.error());
  }
  std::string provision(const Throughput& table, const Throughput& index) {
    return update({.billing_mode = BillingMode::Provisioned,
                   .throughput = table,
                   .index_updates = {{"byA", {.throughput = index}}}});
  }
  TableDescription describe(const std::string& table = "Things") {
    return db_->describe_table({table})->table;
  }

  TestDatabase db_;
};

TEST_F(CapacitySettings, LimitsOfANewTable) {
  CreateTableRequest request = simple_table("New");
  const std::string range = "for OnDemandThroughput for table is outside of valid range";
  for (const std::int64_t bad : {0, -1, -2}) {
    request.on_demand_limits = OnDemandLimits{bad, bad};
    EXPECT_EQ(create(request), kInvalid + "Requested MaxReadRequestUnits " + range);
    request.on_demand_limits = OnDemandLimits{.write_units = bad};
    EXPECT_EQ(create(request), kInvalid + "Requested MaxWriteRequestUnits " + range);
  }
  request.on_demand_limits = OnDemandLimits{.read_units = 100};
  EXPECT_EQ(create(request), "created");
  EXPECT_EQ(describe("New").on_demand_limits, (OnDemandLimits{.read_units = 100}));

  CreateTableRequest empty = simple_table("Empty");
  empty.on_demand_limits = OnDemandLimits{};
  EXPECT_EQ(create(empty), "created");
  EXPECT_EQ(describe("Empty").on_demand_limits, std::nullopt);

  CreateTableRequest paid = provisioned_table("Paid");
  paid.on_demand_limits = OnDemandLimits{1, 1};
  EXPECT_EQ(create(paid), kInvalid +
                              "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
                              "BillingMode is PROVISIONED.");
  paid.on_demand_limits.reset();
  paid.global_indexes[0].on_demand_limits = OnDemandLimits{.write_units = 1};
  EXPECT_EQ(create(paid),
            kInvalid +
                "MaxWriteRequestUnits for OnDemandThroughput for index: byA cannot be specified "
                "when table BillingMode is PROVISIONED.");
  CreateTableRequest indexed = good_table("Indexed");
  indexed.global_indexes[0].on_demand_limits = OnDemandLimits{.read_units = 0};
  EXPECT_EQ(create(indexed), kInvalid +
                                 "Requested MaxReadRequestUnits for OnDemandThroughput for index : byA is "
                                 "outside of valid range");
}

TEST_F(CapacitySettings, LimitsAreMergedAndTakenAway) {
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{20, 15}}), "updated");
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{20, 15}}), "updated") << "the same again";
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{.read_units = 40}}), "updated");
  EXPECT_EQ(describe().on_demand_limits, (OnDemandLimits{40, 15}));
  EXPECT_EQ(
      update({.on_demand_limits = OnDemandLimits{.write_units = 0}}),
      kInvalid + "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range");
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{.read_units = -1}}), "updated");
  EXPECT_EQ(describe().on_demand_limits, (OnDemandLimits{.write_units = 15}));
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{-1, -1}}), "updated");
  EXPECT_EQ(describe().on_demand_limits, std::nullopt);

  EXPECT_EQ(update({.index_updates = {{"byA", {.on_demand_limits = OnDemandLimits{5000, 5000}}}}}),
            "updated");
  EXPECT_EQ(describe().global_indexes[0].on_demand_limits, (OnDemandLimits{5000, 5000}));
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{1, 1}}), "updated");
  EXPECT_EQ(provision({1, 1}, {1, 1}), "updated");
  EXPECT_EQ(describe().on_demand_limits, std::nullopt) << "they went with the mode";
  EXPECT_EQ(describe().global_indexes[0].on_demand_limits, std::nullopt);
  EXPECT_EQ(
      update({.on_demand_limits = OnDemandLimits{1, 1}}),
      kInvalid +
          "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is "
          "PROVISIONED");
  EXPECT_EQ(
      update({.index_updates = {{"byA", {.on_demand_limits = OnDemandLimits{1, 1}}}}}),
      kInvalid +
          "MaxReadRequestUnits for OnDemandThroughput for index : byA cannot be specified when the table "
          "BillingMode is PROVISIONED");
}

TEST_F(CapacitySettings, WarmthOfANewTable) {
  EXPECT_EQ(describe().warm_throughput, (WarmThroughput{12'000, 4'000}));
  EXPECT_EQ(describe().global_indexes[0].warm_throughput, (WarmThroughput{12'000, 4'000}));
  CreateTableRequest request = simple_table("New");
  request.warm_throughput = WarmThroughput{1, 1};
  EXPECT_EQ(create(request),
            kInvalid +
                "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput "
                "for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
                "on-demand-capacity-mode.html#on-demand-capacity-mode-initial");
  request.warm_throughput = WarmThroughput{.read_units = 12'001};
  EXPECT_EQ(create(request), "created");
  EXPECT_EQ(describe("New").warm_throughput, (WarmThroughput{12'001, 4'000}));

  CreateTableRequest paid = provisioned_table("Paid");
  paid.warm_throughput = WarmThroughput{5, 5};
  EXPECT_EQ(create(paid), kInvalid +
                              "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
                              "WriteCapacityUnits of ProvisionedThroughput");
  paid.warm_throughput = WarmThroughput{50, 60};
  EXPECT_EQ(create(paid), "created");
  EXPECT_EQ(describe("Paid").warm_throughput, (WarmThroughput{50, 60}));
  EXPECT_EQ(describe("Paid").global_indexes[0].warm_throughput, (WarmThroughput{7, 8}));
}

TEST_F(CapacitySettings, WarmthNeverGoesDown) {
  EXPECT_EQ(update({.warm_throughput = WarmThroughput{12'000, 4'000}}), "updated") << "the same";
  EXPECT_EQ(update({.warm_throughput = WarmThroughput{.write_units = 4'001}}), "updated");
  EXPECT_EQ(describe().warm_throughput, (WarmThroughput{12'000, 4'001}));
  EXPECT_EQ(update({.warm_throughput = WarmThroughput{.write_units = 4'000}}),
            kInvalid +
                "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current "
                "WarmThroughput, decreasing WarmThroughput is not supported");
  EXPECT_EQ(update({.index_updates = {{"byA", {.warm_throughput = WarmThroughput{100, 100}}}}}),
            kInvalid +
                "Requested ReadUnitsPerSecond for WarmThroughput for index byA is lower than current "
                "WarmThroughput, decreasing WarmThroughput is not supported");
  EXPECT_EQ(update({.warm_throughput = WarmThroughput{12'345, 4'567},
                    .index_updates = {{"byA", {.warm_throughput = WarmThroughput{12'002, 4'001}}}}}),
            "updated")
      << "the example of the Developer Guide";
  EXPECT_EQ(provision({1, 1}, {13'000, 4'500}), "updated");
  EXPECT_EQ(describe().warm_throughput, (WarmThroughput{12'345, 4'567}));
  EXPECT_EQ(describe().global_indexes[0].warm_throughput, (WarmThroughput{13'000, 4'500}));
  EXPECT_EQ(update({.index_updates = {{"byA", {.throughput = Throughput{1, 1}}}}}), "updated");
  EXPECT_EQ(describe().global_indexes[0].warm_throughput, (WarmThroughput{13'000, 4'500}));

  ASSERT_EQ(create(provisioned_table("Paid")), "created");
  ASSERT_TRUE(db_->update_table({.table_name = "Paid", .throughput = Throughput{9, 1}}));
  EXPECT_EQ(describe("Paid").warm_throughput, (WarmThroughput{9, 6})) << "the most that was provisioned";
  ASSERT_TRUE(db_->update_table({.table_name = "Paid", .billing_mode = BillingMode::PayPerRequest}));
  EXPECT_EQ(describe("Paid").warm_throughput, (WarmThroughput{12'000, 4'000}));
}

TEST_F(CapacitySettings, NothingIsNoUpdate) {
  EXPECT_EQ(update({.on_demand_limits = OnDemandLimits{}, .warm_throughput = WarmThroughput{}}).substr(0, 32),
            "ValidationException: At least on");
}

}  // namespace
}  // namespace tavola::engine
