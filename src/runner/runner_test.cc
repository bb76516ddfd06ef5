// Concurrent writes between a runner's requests, and the ends of pages.
#include "runner/runner.h"

#include <gtest/gtest.h>

#include "design/load.h"
#include "design/model/arguments.h"
#include "runner/test_meddled_database.h"

namespace tavola::runner {
namespace {

constexpr std::string_view kTickets = R"(design: 1
name: tickets
table: { name: tickets, hash: PK, range: SK }
entities:
  Show:
    key: { PK: SHOW#<show>, SK: META }
    attributes:
      show: { type: string, required: true }
      left: { type: integer, required: true }
  Ticket:
    key: { PK: SHOW#<show>, SK: TICKET#<ticket> }
    attributes:
      show: { type: string, required: true }
      ticket: { type: string, required: true }
      left: { type: integer }
      used: { type: boolean }
patterns:
  show: { get: Show }
  used: { query: Ticket, via: table, hash: SHOW#<show>, range: begins_with TICKET#, filter: used = true }
operations:
  plan: { steps: [{ put: Show, exists: false }] }
  open: { steps: [{ put: Show, if_exists: return }] }
  cancel:
    idempotent_by: show
    read: { gone: { get: Show } }
    steps: [{ delete: Show }]
    returns: gone
  sell:
    idempotent_by: ticket
    read: { of: { get: Show } }
    steps:
      - { update: Show, require: { that: left > 0, otherwise: SOLD_OUT }, set: { left: left - 1 } }
      - { put: Ticket, as: sold, exists: false, set: { left: of.left - 1 } }
    returns: sold
)";

class ZeroRandom final : public Random {
 public:
  std::uint64_t next() override { return 0; }  // the shortest pauses
};

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() : design_(load()), database_(open_in_memory()) {
    EXPECT_TRUE(runner(*database_).prepare_table());
  }

  static design::Design load() {
    design::Loaded loaded = design::load(kTickets, "tickets.yaml");
    for (const design::Diagnostic& one : loaded.diagnostics) {
      if (one.severity == design::Severity::Error) ADD_FAILURE() << to_text(one, kTickets);
    }
    return *std::move(loaded.design);
  }

  Runner runner(Database& database) {
    return Runner({.database = database, .design = design_, .random = random_, .secret = "of this test"});
  }

  Result<Done> perform(Database& database, std::string_view operation, const Item& given) {
    return runner(database).perform(*design_.find_operation(operation), given);
  }

  // Performs, and calls `meanwhile` before request number `nth` (from 1) of this operation of the database.
  Result<Done> perform_with(std::string_view operation, const Item& given, std::string_view request, int nth,
                            const std::function<void()>& meanwhile) {
    int seen = 0;
    MeddledDatabase meddled(*database_, [&](std::string_view name) -> Result<void> {
      if (name == request && ++seen == nth) meanwhile();
      return {};
    });
    return perform(meddled, operation, given);
  }

  static std::string refusal(const Result<Done>& done) {
    const auto* refusal = done ? nullptr : done.error().detail<design::Refusal>();
    return refusal == nullptr ? "none" : refusal->name;
  }

  design::Design design_;
  ZeroRandom random_;
  std::unique_ptr<Database> database_;
  const Item ticket_{{"show", "hamlet"}, {"ticket", "t1"}};
};

TEST_F(RunnerTest, TheSameCallDoneMeanwhileIsARepetitionAndNoRefusal) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 2}}));
  const Result<Done> done = perform_with("sell", ticket_, "TransactWriteItems", 1,
                                         [&] { ASSERT_TRUE(perform(*database_, "sell", ticket_)); });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(done->repeated);
  EXPECT_EQ(done->fields.at("left"), Value(1));
}

TEST_F(RunnerTest, TheSameCallDoneBetweenTheReadsIsARepetition) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 2}}));
  const Item given{{"show", "hamlet"}};
  const Result<Done> done =
      perform_with("cancel", given, "GetItem", 2, [&] { ASSERT_TRUE(perform(*database_, "cancel", given)); });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(done->repeated);
  EXPECT_EQ(done->fields.at("left"), Value(2));
}

TEST_F(RunnerTest, WhatChangedMeanwhileIsReadAgain) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 2}}));
  const Result<Done> done = perform_with("sell", ticket_, "TransactWriteItems", 1, [&] {
    ASSERT_TRUE(perform(*database_, "sell", {{"show", "hamlet"}, {"ticket", "t2"}}));
  });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->fields.at("left"), Value(0));
}

TEST_F(RunnerTest, TheItemThatAnotherCallCreatesMeanwhileIsReturned) {
  const Result<Done> done = perform_with("open", {{"show", "hamlet"}, {"left", 2}}, "PutItem", 1, [&] {
    ASSERT_TRUE(perform(*database_, "open", {{"show", "hamlet"}, {"left", 3}}));
  });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(done->repeated);
  EXPECT_EQ(done->write_units, 0);
  EXPECT_EQ(done->fields, (Item{{"show", "hamlet"}, {"left", 3}}));
}

TEST_F(RunnerTest, WhatIsRefusedAfterAChangeIsRefused) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 1}}));
  const Result<Done> done = perform_with("sell", ticket_, "TransactWriteItems", 1, [&] {
    ASSERT_TRUE(perform(*database_, "sell", {{"show", "hamlet"}, {"ticket", "t2"}}));
  });
  EXPECT_EQ(refusal(done), "SOLD_OUT");
}

TEST_F(RunnerTest, WhoAlwaysLosesIsToldSoAfterManyTries) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 1}}));
  int tries = 0;
  MeddledDatabase busy(*database_, [&](std::string_view name) -> Result<void> {
    if (name != "TransactWriteItems") return {};
    ++tries;
    return fail(Error(ErrorCode::TransactionConflict, "busy"));
  });
  const Result<Done> done = perform(busy, "sell", ticket_);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::TransactionConflict);
  EXPECT_GT(tries, 10);
}

TEST_F(RunnerTest, AReasonThatNoOtherTryMendsIsTold) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 1}}));
  for (const auto& [reason, code] :
       {std::pair("ValidationError", ErrorCode::Validation),
        std::pair("ItemCollectionSizeLimitExceeded", ErrorCode::ItemCollectionSizeLimitExceeded)}) {
    MeddledDatabase full(*database_, [&, why = reason](std::string_view name) -> Result<void> {
      if (name != "TransactWriteItems") return {};
      return fail(Error(ErrorCode::TransactionCanceled, "cancelled",
                        std::make_shared<TransactionCancellation>(
                            std::vector<CancellationReason>{{.code = why, .message = "too much"}})));
    });
    const Result<Done> done = perform(full, "sell", ticket_);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), code);
    EXPECT_EQ(done.error().message(), "too much");
  }
}

TEST_F(RunnerTest, APageMayBeEmptyAndYetNotTheLast) {
  constexpr int kSold = 40;
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", kSold}}));
  for (int i = 0; i < kSold; ++i) {
    ASSERT_TRUE(perform(*database_, "sell",
                        {{"show", "hamlet"}, {"ticket", std::to_string(i)}, {"used", i == kSold - 1}}));
  }
  Question question{.parameters = {{"show", "hamlet"}}, .limit = 1, .page = {}};
  int empty = 0;
  int found = 0;
  do {
    const Result<Found> page = runner(*database_).ask(*design_.find_pattern("used"), question);
    ASSERT_TRUE(page) << page.error().message();
    found += static_cast<int>(page->entities.size());
    empty += page->entities.empty() ? 1 : 0;
    question.page = page->next;
  } while (!question.page.empty());
  EXPECT_EQ(found, 1);
  EXPECT_GT(empty, 0);
}

TEST_F(RunnerTest, APageTokenIsForItsQuestionAlone) {
  ASSERT_TRUE(perform(*database_, "plan", {{"show", "hamlet"}, {"left", 2}}));
  for (const char* ticket : {"a", "b"}) {
    ASSERT_TRUE(perform(*database_, "sell", {{"show", "hamlet"}, {"ticket", ticket}, {"used", true}}));
  }
  const design::Pattern& used = *design_.find_pattern("used");
  const Result<Found> page =
      runner(*database_).ask(used, {.parameters = {{"show", "hamlet"}}, .limit = 1, .page = {}});
  ASSERT_TRUE(page);
  ASSERT_FALSE(page->next.empty());
  const auto ask_with = [&](std::string_view show, const std::string& token) {
    return runner(*database_).ask(used, {.parameters = {{"show", show}}, .limit = 5, .page = token});
  };
  EXPECT_TRUE(ask_with("hamlet", page->next));
  for (const Result<Found>& refused :
       {ask_with("macbeth", page->next), ask_with("hamlet", page->next.substr(1)),
        ask_with("hamlet", page->next + "A"), ask_with("hamlet", "x")}) {
    ASSERT_FALSE(refused);
    ASSERT_NE(refused.error().detail<design::BadParameter>(), nullptr);
    EXPECT_EQ(refused.error().detail<design::BadParameter>()->name, "page");
  }
}

}  // namespace
}  // namespace tavola::runner
