// Tests the checker: it must accept the real history, and report each kind of damage.
#include "tests/crash/history.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/agreement.h"
#include "tests/crash/journal.h"

namespace tavola::crash {
namespace {

using Kind = Operation::Kind;
using testing::HasSubstr;
using testing::IsEmpty;

// A database and the journal of its operations.
class Recorded : public testing::Test {
 protected:
  void SetUp() override {
    run(Kind::CreateTable, kMainTable);
    for (int sort = 0; sort < 5; ++sort) run(Kind::Put, kMainTable, owned_key(0, sort));
    run(Kind::Update, kMainTable, owned_key(0, 1));
    run(Kind::Delete, kMainTable, owned_key(0, 2));
    run(Kind::PutNew, kMainTable, owned_key(0, 3));  // refused
    run(Kind::Put, kMainTable, shared_key(0));
    run(Kind::Put, kMainTable, shared_key(0));
    run(Kind::Count, kMainTable, counter_key(0));
    run(Kind::Count, kMainTable, counter_key(0));
    run(Kind::CreateTable, kScratchTable);
    run(Kind::Put, kScratchTable, owned_key(4, 0));
  }

  Operation next(Kind kind, const char* table, const Key& key = {}) {
    return {.id = ++last_id_, .kind = kind, .table = table, .key = key};
  }

  // Performs the operation and records it.
  Operation run(Kind kind, const char* table, const Key& key = {}) {
    Operation operation = next(kind, table, key);
    history_.record(Attempt{operation});
    const auto outcome = perform(*database_, operation);
    EXPECT_TRUE(outcome) << outcome.error().message();
    if (outcome) history_.record(Acknowledged{.id = operation.id, .outcome = *outcome});
    return operation;
  }

  // Performs the operation without recording it.
  void secretly(Kind kind, const char* table, const Key& key = {}) {
    ASSERT_TRUE(perform(*database_, next(kind, table, key)));
  }

  Stored read() {
    auto stored = read_stored(*database_);
    EXPECT_TRUE(stored) << stored.error().message();
    return stored ? *std::move(stored) : Stored{};
  }

  std::string history_complaint() { return joined(history_.violations(read())); }

  static std::string joined(const Violations& violations) {
    std::string text;
    for (const std::string& violation : violations) text += violation + "\n";
    return text;
  }

  std::unique_ptr<Database> database_ = open_in_memory();
  History history_;
  std::uint64_t last_id_ = 1'000;
};

TEST_F(Recorded, WhatHappenedIsAccepted) {
  const Stored stored = read();
  EXPECT_THAT(history_.violations(stored), IsEmpty());
  EXPECT_THAT(disagreements(stored), IsEmpty());
  EXPECT_THAT(disagreements_of_reads(*database_, stored), IsEmpty());
  history_.settle(stored);
  EXPECT_THAT(history_.violations(stored), IsEmpty());
}

TEST_F(Recorded, LostPutIsNoticed) {
  secretly(Kind::Delete, kMainTable, owned_key(0, 0));
  EXPECT_THAT(history_complaint(), HasSubstr("(own-0, 0) is nothing, acknowledged was"));
}

TEST_F(Recorded, LostPutIsNoticedAfterSettling) {
  history_.settle(read());
  secretly(Kind::Delete, kMainTable, owned_key(0, 0));
  EXPECT_THAT(history_complaint(), HasSubstr("(own-0, 0) is nothing, acknowledged was"));
}

TEST_F(Recorded, LostUpdateIsNoticed) {
  const Operation lost = next(Kind::Update, kMainTable, owned_key(0, 1));
  history_.record(Attempt{lost});
  EXPECT_THAT(history_complaint(), IsEmpty()) << "as long as it is not acknowledged it may be lost";
  history_.record(Acknowledged{.id = lost.id});
  EXPECT_THAT(history_complaint(), HasSubstr("(own-0, 1) is"));
}

TEST_F(Recorded, OperationUnderWayMayHaveHappened) {
  const Operation under_way = next(Kind::Update, kMainTable, owned_key(0, 1));
  history_.record(Attempt{under_way});
  ASSERT_TRUE(perform(*database_, under_way));
  EXPECT_THAT(history_complaint(), IsEmpty());
}

TEST_F(Recorded, LostDeleteIsNoticed) {
  secretly(Kind::Put, kMainTable, owned_key(0, 2));
  EXPECT_THAT(history_complaint(), HasSubstr("acknowledged was nothing"));
}

TEST_F(Recorded, HalfWrittenItemIsNoticed) {
  Stored stored = read();
  stored.at(kMainTable).items.at(owned_key(0, 1)).erase(kRank);
  EXPECT_THAT(joined(history_.violations(stored)), HasSubstr("(own-0, 1) is"));
}

TEST_F(Recorded, ItemThatNobodyWroteIsNoticed) {
  secretly(Kind::Put, kMainTable, owned_key(7, 7));
  EXPECT_THAT(history_complaint(), HasSubstr("(own-7, 7) is"));
}

TEST_F(Recorded, WronglyJudgedConditionIsNoticed) {
  const Operation wrong = next(Kind::PutNew, kMainTable, owned_key(0, 9));
  history_.record(Attempt{wrong});
  history_.record(Acknowledged{.id = wrong.id, .outcome = {.applied = false}});
  EXPECT_THAT(history_complaint(), HasSubstr("was judged wrongly"));
}

TEST_F(Recorded, OldValueOfASharedKeyIsNoticed) {
  const Stored before = read();
  run(Kind::Put, kMainTable, shared_key(0));
  EXPECT_THAT(history_complaint(), IsEmpty());
  EXPECT_THAT(joined(history_.violations(before)), HasSubstr("(shared, 0) is"));
}

TEST_F(Recorded, EitherOfTwoOverlappingWritesOfASharedKeyIsAccepted) {
  const Operation first = next(Kind::Put, kMainTable, shared_key(0));
  const Operation second = next(Kind::Put, kMainTable, shared_key(0));
  history_.record(Attempt{first});
  history_.record(Attempt{second});
  history_.record(Acknowledged{.id = first.id});
  history_.record(Acknowledged{.id = second.id});
  ASSERT_TRUE(perform(*database_, second));
  EXPECT_THAT(history_complaint(), IsEmpty());
  ASSERT_TRUE(perform(*database_, first));
  EXPECT_THAT(history_complaint(), IsEmpty());
}

TEST_F(Recorded, LostCountIsNoticed) {
  const Operation lost = next(Kind::Count, kMainTable, counter_key(0));
  history_.record(Attempt{lost});
  EXPECT_THAT(history_complaint(), IsEmpty());
  history_.record(Acknowledged{.id = lost.id, .outcome = {.value = 2}});
  EXPECT_THAT(history_complaint(), HasSubstr("both counted (counter, 0) to 2"));
  EXPECT_THAT(history_complaint(), HasSubstr("(counter, 0) counts 2: was 0, 3 acknowledged, 3 attempted"));
}

TEST_F(Recorded, CountThatNobodyAttemptedIsNoticed) {
  secretly(Kind::Count, kMainTable, counter_key(0));
  EXPECT_THAT(history_complaint(), HasSubstr("(counter, 0) counts 3: was 0, 2 acknowledged, 2 attempted"));
}

TEST_F(Recorded, LostTableIsNoticed) {
  secretly(Kind::DeleteTable, kMainTable);
  secretly(Kind::DeleteTable, kScratchTable);
  EXPECT_THAT(history_complaint(), HasSubstr("the main table is gone"));
  EXPECT_THAT(history_complaint(), HasSubstr("the scratch table does not exist"));
}

TEST_F(Recorded, ItemsOfADeletedTableThatComeBackAreNoticed) {
  const Stored before = read();
  run(Kind::DeleteTable, kScratchTable);
  run(Kind::CreateTable, kScratchTable);
  Stored after = read();
  EXPECT_THAT(history_.violations(after), IsEmpty());
  after.at(kScratchTable).items = before.at(kScratchTable).items;
  EXPECT_THAT(joined(history_.violations(after)), HasSubstr("the scratch table has 1 items"));
}

TEST_F(Recorded, TableThatNobodyCreatedIsNoticed) {
  secretly(Kind::CreateTable, "other");
  EXPECT_THAT(history_complaint(), HasSubstr("nobody created the table other"));
}

TEST_F(Recorded, FailureOfAnOperationIsNoticed) {
  history_.record(Failed{.id = 5, .message = "disk on fire"});
  EXPECT_THAT(history_complaint(), HasSubstr("operation 5 failed: disk on fire"));
}

TEST_F(Recorded, MissingIndexEntryIsNoticed) {
  for (const char* index : {"by-group", "by-operation", "by-rank"}) {
    Stored stored = read();
    stored.at(kMainTable).indexes.at(index).pop_back();
    EXPECT_THAT(joined(disagreements(stored)), HasSubstr(std::string("main/") + index + " lacks the entry"));
    EXPECT_THAT(joined(disagreements(stored)), HasSubstr("DescribeTable counts"));
  }
}

TEST_F(Recorded, ALostEndIsAccepted) {
  const Stored before = read();
  run(Kind::Put, kMainTable, owned_key(0, 0));
  run(Kind::Update, kMainTable, owned_key(0, 0));
  run(Kind::Count, kMainTable, counter_key(0));
  run(Kind::Put, kMainTable, shared_key(0));
  run(Kind::Put, kScratchTable, owned_key(4, 1));
  EXPECT_THAT(history_.violations(before), testing::Not(IsEmpty()));
  history_.allow_lost_end(before);
  EXPECT_THAT(history_.violations(before), IsEmpty());
}

TEST_F(Recorded, ALossBeforeTheEndIsNoticed) {
  Stored stored = read();
  run(Kind::Put, kMainTable, owned_key(0, 6));
  run(Kind::Put, kMainTable, owned_key(0, 7));
  stored.at(kMainTable).items[owned_key(0, 7)] = read().at(kMainTable).items.at(owned_key(0, 7));
  history_.allow_lost_end(stored);
  EXPECT_THAT(joined(history_.violations(stored)), HasSubstr("(own-0, 6) is nothing, acknowledged was"));
}

TEST_F(Recorded, StaleIndexEntryIsNoticed) {
  Stored stored = read();
  stored.at(kMainTable).items.erase(owned_key(0, 0));
  EXPECT_THAT(joined(disagreements(stored)), HasSubstr("main/by-operation has an entry of no item"));
  stored = read();
  stored.at(kMainTable).items.at(owned_key(0, 0))[kRank] = 777;
  EXPECT_THAT(joined(disagreements(stored)), HasSubstr("where the item says"));
  stored = read();
  auto& entries = stored.at(kMainTable).indexes.at("by-rank");
  entries.push_back(entries.front());
  EXPECT_THAT(joined(disagreements(stored)), HasSubstr("main/by-rank has two entries for"));
}

TEST_F(Recorded, WrongItemCountIsNoticed) {
  Stored stored = read();
  ++stored.at(kMainTable).described_items;
  EXPECT_THAT(joined(disagreements(stored)),
              HasSubstr("main: DescribeTable counts 7 items, the scan returned 6"));
}

TEST_F(Recorded, ReadThatDiffersFromTheScanIsNoticed) {
  Stored stored = read();
  stored.at(kMainTable).items.at(owned_key(0, 0))[kRank] = 777;
  EXPECT_THAT(joined(disagreements_of_reads(*database_, stored)), HasSubstr("GetItem does not return"));
}

TEST(Journal, SaysWhatIsAttempted) {
  const Operation operation{.id = 17, .kind = Kind::Update, .table = "main", .key = owned_key(3, 12)};
  EXPECT_EQ(to_line(Attempt{operation}), "A 17 2 main own-3 12\n");
}

TEST(Journal, LinesAreReadBack) {
  for (const char* line : {"A 17 2 main own-3 12", "A 18 5 scratch - 0", "K 17 0 5", "E 17 disk on fire"}) {
    const auto record = parse_line(line);
    EXPECT_TRUE(record) << line;
    if (record) {
      EXPECT_EQ(to_line(*record), std::string(line) + "\n");
    }
  }
}

TEST(Journal, BrokenLinesAreRefused) {
  for (const char* broken :
       {"", "A", "A 17 2 main own-3", "A 17 9 main own-3 1", "K 17", "K x 1 1", "Z 17"}) {
    EXPECT_FALSE(parse_line(broken)) << broken;
  }
}

}  // namespace
}  // namespace tavola::crash
