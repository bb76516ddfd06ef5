#include "server/layers/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tavola::server {
namespace {

using testing::HasSubstr;

TEST(FaultPlan, WhatIsWrittenIsRead) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "seed=1"},
      {"throttle=0.05", "throttle=0.05,seed=1"},
      {"seed=7,throttle=1", "throttle=1,seed=7"},
      {"conflict@orders/PutItem=0.5", "conflict@orders/PutItem=0.5,seed=1"},
      {"unprocessed/BatchGetItem=0.20", "unprocessed/BatchGetItem=0.2,seed=1"},
      {"error500@a.b-c_D=1e-3", "error500@a.b-c_D=0.001,seed=1"},
      {"latency=80ms", "latency=80ms,seed=1"},
      {"latency@orders/Query=p99.9:2s", "latency@orders/Query=p99.9:2000ms,seed=1"},
      {"throttle=0.1,throttle@users=0", "throttle=0.1,throttle@users=0,seed=1"},
      {"seed=18446744073709551615", "seed=18446744073709551615"},
  };
  for (const auto& [text, canonical] : cases) {
    const auto plan = parse_fault_plan(text);
    ASSERT_TRUE(plan) << text << ": " << plan.error().message();
    EXPECT_EQ(to_text(*plan), canonical);
    const auto again = parse_fault_plan(canonical);
    ASSERT_TRUE(again) << canonical;
    EXPECT_EQ(*again, *plan) << text;
  }
}

TEST(FaultPlan, TheParts) {
  const auto plan = parse_fault_plan("conflict@orders/PutItem=0.5,latency=p99:80ms,seed=9");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->seed, 9U);
  ASSERT_EQ(plan->rules.size(), 2U);
  EXPECT_EQ(plan->rules[0], (FaultRule{.kind = FaultKind::Conflict,
                                       .table = "orders",
                                       .operation = ItemOperation::PutItem,
                                       .probability = 0.5}));
  EXPECT_EQ(
      plan->rules[1],
      (FaultRule{.kind = FaultKind::Latency, .delay = std::chrono::milliseconds(80), .percentile = 99}));
}

TEST(FaultPlan, MistakesAreTold) {
  const std::pair<const char*, const char*> cases[] = {
      {"throttle", "the fault \"throttle\": a fault is written like throttle=0.05"},
      {"throttle=0.1,", "the fault \"\": a fault is written like"},
      {"throtle=0.1", "there is no fault throtle; did you mean throttle?"},
      {"lightning=0.1", "there are throttle, conflict, unprocessed, error500, lost, latency"},
      {"throttle=2", "a probability from 0 to 1"},
      {"throttle=-0.1", "a probability from 0 to 1"},
      {"throttle=nan", "a probability from 0 to 1"},
      {"throttle=5%", "a probability from 0 to 1"},
      {"throttle=", "a probability from 0 to 1"},
      {"conflict@orders/PutItm=1", "there is no operation on items PutItm; did you mean PutItem?"},
      {"conflict/GetItem=1", "GetItem never fails with conflict"},
      {"unprocessed/PutItem=1", "PutItem never fails with unprocessed"},
      {"throttle@=1", "after the @, write the name of a table"},
      {"throttle@or ders=1", "after the @, write the name of a table"},
      {"latency=80", "the time must be like 80ms or 2s"},
      {"latency=ms", "the time must be like 80ms or 2s"},
      {"latency=", "the time must be like 80ms or 2s"},
      {"latency=-5ms", "the time must be like 80ms or 2s"},
      {"latency=11s", "the maximum time is 10000ms"},
      {"latency=p100:5ms", "before the colon, write a percentile"},
      {"latency=pnan:5ms", "before the colon, write a percentile"},
      {"latency=99:5ms", "before the colon, write a percentile"},
      {"gsi-lag=0.5", "the time must be like 200ms or 2s"},
      {"gsi-lag=11s", "the maximum time is 10000ms"},
      {"gsi-lag/GetItem=2s", "GetItem never fails with gsi-lag"},
      {"seed=x", "the seed must be a whole number"},
      {"seed=-1", "the seed must be a whole number"},
  };
  for (const auto& [text, reported] : cases) {
    const auto plan = parse_fault_plan(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.error().code(), ErrorCode::Validation);
    EXPECT_THAT(plan.error().message(), HasSubstr(reported)) << text;
  }
}

TEST(FaultPlan, LagsOfIndexes) {
  const auto plan =
      parse_fault_plan("gsi-lag=200ms,gsi-lag@orders/Query=2s,gsi-lag@users=0ms,gsi-lag@more=200ms,seed=3");
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_THAT(index_lags(*plan),
              testing::ElementsAre(std::chrono::milliseconds(200), std::chrono::seconds(2)));
  EXPECT_EQ(to_text(*plan),
            "gsi-lag=200ms,gsi-lag@orders/Query=2000ms,gsi-lag@users=0ms,gsi-lag@more=200ms,seed=3");
  std::string many = "gsi-lag=1ms";
  for (std::size_t i = 2; i <= kIndexLagsMax; ++i) many += ",gsi-lag=" + std::to_string(i) + "ms";
  EXPECT_TRUE(parse_fault_plan(many + ",gsi-lag@orders=1ms"));
  EXPECT_FALSE(parse_fault_plan(many + ",gsi-lag=99ms"));
}

TEST(FaultPlan, ThereIsAnEndToRules) {
  std::string text = "throttle=1";
  for (std::size_t i = 1; i < kRulesMax; ++i) text += ",throttle=1";
  EXPECT_TRUE(parse_fault_plan(text));
  EXPECT_FALSE(parse_fault_plan(text + ",throttle=1"));
}

}  // namespace
}  // namespace tavola::server
