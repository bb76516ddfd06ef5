// The checker itself: a sound database passes, and every deliberate flaw is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/flawed_database.h"
#include "tests/model/history.h"

namespace tavola::model {
namespace {

HistoryReport run_with(Flaw flaw) {
  HistoryOptions options{.seed = 2024, .steps = 3000, .generator = {.hash_keys = 4, .range_keys = 10}};
  options.open = [flaw] { return with_flaw(open_in_memory(), flaw); };
  return History(options).run();
}

TEST(CheckerTest, PassesSoundDatabase) {
  const HistoryReport report = run_with(Flaw::None);
  EXPECT_FALSE(report.wrong) << report.wrong.value_or("");
}

class FlawTest : public testing::TestWithParam<Flaw> {};

TEST_P(FlawTest, IsFound) {
  const HistoryReport report = run_with(GetParam());
  EXPECT_TRUE(report.wrong) << "the flaw went unnoticed";
  EXPECT_THAT(report.wrong.value_or(""), testing::HasSubstr("of seed 2024; the last operations"));
}

INSTANTIATE_TEST_SUITE_P(Flaws, FlawTest,
                         testing::Values(Flaw::LosesIndexEntry, Flaw::SkipsItemInPage, Flaw::RepeatsLastItem,
                                         Flaw::DropsUpdate, Flaw::IgnoresCondition, Flaw::ReturnsNewForOld,
                                         Flaw::ForgetsLastKey, Flaw::MiscountsScanned, Flaw::OverchargesReads,
                                         Flaw::ReversesBackwards, Flaw::HalvesTransaction));

}  // namespace
}  // namespace tavola::model
