// Many threads on the same few items: no acknowledged write is lost, no version is given twice, the indexes
// agree with the items, and concurrent readers see only real states.
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "tests/model/contention.h"
#include "tests/model/flawed_database.h"
#include "tests/model/options.h"

namespace tavola::model {
namespace {

void run_and_expect_peace(Database& database, ContentionOptions options) {
  options.seed = test_options().seed.value_or(options.seed);
  const auto writes = test_options().steps.value_or(static_cast<std::size_t>(options.writes_each));
  options.writes_each = static_cast<int>(writes);
  std::cout << "seed " << options.seed << "\n";
  const ContentionReport report = run_contention(database, options);
  std::cout << report.acknowledged << " writes acknowledged, " << report.refused << " refused by conditions, "
            << report.pages_read << " pages read meanwhile\n";
  EXPECT_THAT(report.problems, testing::IsEmpty());
  EXPECT_GT(report.acknowledged, 0);
}

TEST(ThreadsTest, InMemory) {
  const auto database = open_in_memory();
  run_and_expect_peace(*database, {.seed = 1, .writes_each = 3000});
}

TEST(ThreadsTest, InMemoryOnOneItem) {
  const auto database = open_in_memory();
  run_and_expect_peace(*database, {.seed = 2, .writers = 6, .writes_each = 1500, .items = 1});
}

TEST(ThreadsTest, OnDisk) {
  const ScratchDirectory directory;
  auto database = open(directory.path(), {.durability = Durability::Relaxed});
  ASSERT_TRUE(database) << database.error().message();
  run_and_expect_peace(**database, {.seed = 3, .writes_each = 3000});
}

TEST(ThreadsTest, OnDiskSynced) {
  const ScratchDirectory directory;
  auto database = open(directory.path());
  ASSERT_TRUE(database) << database.error().message();
  run_and_expect_peace(**database, {.seed = 4, .writers = 8, .writes_each = 150});
}

// Tests the check itself: it detects a database that acknowledges an update and drops it.
TEST(ThreadsTest, LostUpdateIsFound) {
  const auto flawed = with_flaw(open_in_memory(), Flaw::DropsUpdate);
  const ContentionReport report = run_contention(*flawed, {.seed = 5, .writes_each = 300});
  EXPECT_THAT(report.problems, testing::Contains(testing::HasSubstr("lost update")));
}

TEST(ThreadsTest, IgnoredConditionIsFound) {
  const auto flawed = with_flaw(open_in_memory(), Flaw::IgnoresCondition);
  const ContentionReport report = run_contention(*flawed, {.seed = 6, .writes_each = 300});
  EXPECT_THAT(report.problems, testing::Not(testing::IsEmpty()));
}

TEST(ThreadsTest, MissingItemInPageIsFound) {
  const auto flawed = with_flaw(open_in_memory(), Flaw::SkipsItemInPage);
  const ContentionReport report = run_contention(*flawed, {.seed = 7, .writes_each = 300});
  EXPECT_THAT(report.problems, testing::Contains(testing::HasSubstr("lasting items")));
}

}  // namespace
}  // namespace tavola::model
