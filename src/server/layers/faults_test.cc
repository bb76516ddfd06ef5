#include "server/layers/faults.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/admin/faults_page.h"
#include "server/delays.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;

FaultPlan plan(const char* text) { return parse_fault_plan(text).value(); }

const Asked kPut{ItemOperation::PutItem, {"orders"}};
const Asked kGet{ItemOperation::GetItem, {"orders"}};

std::string failures(Faults& faults, const Asked& asked, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += faults.decide(asked).failure ? 'x' : '.';
  return text;
}

TEST(Faults, ASeedRepeats) {
  constexpr int kRequests = 200;
  Faults first(plan("throttle=0.3,seed=7"));
  Faults second(plan("throttle=0.3,seed=7"));
  Faults other(plan("throttle=0.3,seed=8"));
  const std::string seen = failures(first, kPut, kRequests);
  EXPECT_EQ(seen, failures(second, kPut, kRequests));
  EXPECT_NE(seen, failures(other, kPut, kRequests));
  first.replace(plan("throttle=0.3,seed=7"));
  EXPECT_EQ(seen, failures(first, kPut, kRequests)) << "a plan begins anew";
}

TEST(Faults, WhatARuleDoesNotConcernDoesNotDisturbIt) {
  constexpr int kRequests = 100;
  Faults quiet(plan("throttle/PutItem=0.3"));
  Faults busy(plan("throttle/PutItem=0.3,throttle/GetItem=0.5"));
  const std::string seen = failures(quiet, kPut, kRequests);
  std::string between;
  for (int i = 0; i < kRequests; ++i) {
    between += failures(busy, kPut, 1);
    failures(busy, kGet, i % 3);
  }
  EXPECT_EQ(seen, between);
}

TEST(Faults, AsOftenAsTheySay) {
  constexpr int kRequests = 20'000;
  const std::pair<const char*, double> cases[] = {
      {"throttle=0", 0}, {"throttle=0.05", 0.05}, {"throttle=0.5", 0.5}, {"throttle=1", 1}};
  for (const auto& [text, share] : cases) {
    Faults faults(plan(text));
    const auto seen = std::ranges::count(failures(faults, kPut, kRequests), 'x');
    EXPECT_NEAR(static_cast<double>(seen) / kRequests, share, 0.01) << text;
    EXPECT_EQ(faults.injected(FaultKind::Throttle), static_cast<std::uint64_t>(seen));
  }
}

TEST(Faults, TheLastRuleThatConcernsARequestCounts) {
  Faults faults(plan("throttle=1,throttle@users=0,conflict@users/PutItem=1"));
  EXPECT_EQ(faults.decide(kPut).failure, FaultKind::Throttle);
  EXPECT_EQ(faults.decide({ItemOperation::GetItem, {"users"}}).failure, std::nullopt);
  EXPECT_EQ(faults.decide({ItemOperation::PutItem, {"users"}}).failure, FaultKind::Conflict);
}

TEST(Faults, OfATransactionAnItemOfTheRulesTableIsToBlame) {
  Faults faults(plan("conflict@users=1"));
  std::vector<int> blamed(4);
  for (int i = 0; i < 100; ++i) {
    const Fate fate =
        faults.decide({ItemOperation::TransactWriteItems, {"orders", "users", "orders", "users"}});
    ASSERT_EQ(fate.failure, FaultKind::Conflict);
    ++blamed[fate.position];
  }
  EXPECT_EQ(blamed[0] + blamed[2], 0);
  EXPECT_GT(blamed[1], 20);
  EXPECT_GT(blamed[3], 20);
}

TEST(Faults, ABatchGetsOn) {
  Faults all(plan("unprocessed=1"));
  EXPECT_EQ(all.decide({ItemOperation::BatchWriteItem, {"tea", "rum", "rum"}}).unprocessed,
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(all.injected(FaultKind::Unprocessed), 2U);
  EXPECT_TRUE(all.decide({ItemOperation::BatchGetItem, {"tea"}}).unprocessed.empty());
  EXPECT_TRUE(all.decide(kPut).unprocessed.empty());
  Faults one_table(plan("unprocessed@rum/BatchGetItem=1"));
  EXPECT_EQ(one_table.decide({ItemOperation::BatchGetItem, {"tea", "rum", "tea"}}).unprocessed,
            (std::vector<bool>{false, true, false}));
  EXPECT_TRUE(one_table.decide({ItemOperation::BatchWriteItem, {"tea", "rum"}}).unprocessed.empty());
}

TEST(Faults, LatencyHasItsPercentile) {
  Faults fixed(plan("latency=20ms"));
  EXPECT_EQ(fixed.decide(kPut).delay.count(), 20);
  constexpr int kRequests = 20'000;
  Faults spread(plan("latency=p90:100ms"));
  int slower = 0;
  for (int i = 0; i < kRequests; ++i) {
    const auto delay = spread.decide(kPut).delay;
    EXPECT_LE(delay, kDelayMax);
    slower += delay.count() >= 100 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(slower) / kRequests, 0.1, 0.01);
}

TEST(Faults, MetricsTellThemByKind) {
  Faults faults(plan("throttle=1"));
  failures(faults, kPut, 3);
  std::string text;
  faults.append_metrics(text);
  EXPECT_THAT(text, HasSubstr("# TYPE tavola_faults_total counter\n"));
  EXPECT_THAT(text, HasSubstr("tavola_faults_total{kind=\"throttle\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("tavola_faults_total{kind=\"latency\"} 0\n"));
}

http::Response ask(Faults& faults, std::string_view method, std::string_view body = {}) {
  return faults_page({.method = method,
                      .path = kFaultsPath,
                      .query = {},
                      .authority = {},
                      .body = body,
                      .payload = body,
                      .headers = {},
                      .peer = {}},
                     faults);
}

TEST(FaultsPage, ShowsReplacesAndClears) {
  Faults faults;
  EXPECT_THAT(ask(faults, "GET").body, HasSubstr("{\"faults\":\"\",\"injected\":{\"throttle\":0,"));
  const http::Response put = ask(faults, "PUT", R"({"faults": "throttle=1,seed=3"})");
  EXPECT_EQ(put.status, 200);
  EXPECT_THAT(put.body, HasSubstr("\"faults\":\"throttle=1,seed=3\""));
  EXPECT_EQ(faults.decide(kPut).failure, FaultKind::Throttle);
  EXPECT_THAT(ask(faults, "GET").body, HasSubstr("\"injected\":{\"throttle\":1,"));
  EXPECT_EQ(ask(faults, "DELETE").status, 200);
  EXPECT_TRUE(faults.is_quiet());
  EXPECT_EQ(ask(faults, "POST").status, 405);
}

TEST(FaultsPage, MistakesAreToldAndChangeNothing) {
  Faults faults(plan("throttle=1,seed=3"));
  const std::pair<const char*, const char*> cases[] = {
      {"", "the body must be"},
      {"{\"fault\": \"throttle=1\"}", "the body must be"},
      {"{\"faults\": 1}", "the body must be"},
      {"faults: throttle=1", "the body must be a JSON object"},  // YAML
      {"{\"faults\": \"throttle=1\", \"more\": 1}", "the body must be"},
      {"{\"faults\": \"throtle=1\"}", "did you mean throttle?"},
  };
  for (const auto& [body, reported] : cases) {
    const http::Response answer = ask(faults, "PUT", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr(reported)) << body;
  }
  EXPECT_EQ(to_text(faults.plan()), "throttle=1,seed=3");
}

TEST(Delays, ComeInTheOrderOfTheirTimesAndNoneIsLost) {
  std::vector<int> seen;
  {
    Delays delays;
    delays.after(std::chrono::hours(2), [&seen] { seen.push_back(3); });
    delays.after(std::chrono::hours(1), [&seen] { seen.push_back(2); });
    delays.after(std::chrono::milliseconds(0), [&seen] { seen.push_back(1); });
  }
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace tavola::server
