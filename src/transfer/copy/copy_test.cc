// Copies between databases in memory: complete, interrupted and resumed, refused, compared.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "database/forwarding_database.h"
#include "transfer/copy/compare.h"
#include "transfer/copy/table_copy.h"

namespace tavola::transfer {
namespace {

using testing::Contains;
using testing::HasSubstr;

PackedItem packed(const Item& item) { return pack(item).value(); }

// A database that refuses some writes, and leaves some unprocessed.
class MoodyDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  std::atomic<int> batches_until_cut = -1;   // then it is unreachable; -1: never
  std::atomic<int> throttled_batches = 0;    // this many are throttled first
  std::atomic<int> writes_left_of_each = 0;  // this many writes of each batch are unprocessed
  std::string refuses_id{};                  // an item with this id
  std::optional<TableStatus> status{};       // the reported status of every table

  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    TAVOLA_TRY(DescribeTableResponse response, database().describe_table(request));
    if (status) response.table.status = *status;
    return response;
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    int left_until_cut = batches_until_cut;
    while (left_until_cut > 0 &&
           !batches_until_cut.compare_exchange_weak(left_until_cut, left_until_cut - 1)) {
    }
    if (left_until_cut == 0) return fail(Error(ErrorCode::AccessDenied, "cut"));
    if (throttled_batches > 0) {
      --throttled_batches;
      return fail(Error(ErrorCode::ProvisionedThroughputExceeded, "slow down"));
    }
    for (const BatchWrite& write : request.tables.at(0).writes) TAVOLA_CHECK(allow(write.item));
    BatchWriteItemRequest now = request;
    TableWrites left{.table_name = request.tables.at(0).table_name};
    while (std::ssize(left.writes) < writes_left_of_each && now.tables[0].writes.size() > 1) {
      left.writes.push_back(now.tables[0].writes.back());
      now.tables[0].writes.pop_back();
    }
    TAVOLA_TRY(BatchWriteItemResponse response, database().batch_write_item(now));
    if (!left.writes.empty()) response.unprocessed_items.push_back(std::move(left));
    return response;
  }
  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    TAVOLA_CHECK(allow(request.item));
    return database().put_item(request);
  }

 private:
  Result<void> allow(const PackedItem& item) const {
    const auto id = item.find("id");
    if (id && id->string() == refuses_id) return fail(Error::validation("Tavola: not this one"));
    return {};
  }
};

class CopyTest : public testing::Test {
 protected:
  static constexpr int kItems = 700;

  CopyTest() : source_(open_in_memory()), target_(open_in_memory()), moody_(*target_) {
    CreateTableRequest request{
        .table_name = "music",
        .attribute_definitions = {{"id"}, {"n", Type::Number}},
        .key_schema = {{"id"}},
        .global_indexes = {{.name = "byN", .key_schema = {{"n"}}, .throughput = {{3, 4}}}},
        .billing_mode = BillingMode::Provisioned,
        .throughput = Throughput{5, 6},
        .table_class = TableClass::StandardInfrequentAccess,
        .tags = {{"team", "green"}}};
    EXPECT_TRUE(source_->create_table(request));
    EXPECT_TRUE(
        source_->update_time_to_live({.table_name = "music", .attribute_name = "until", .enabled = true}));
    for (int i = 0; i < kItems; ++i) put(*source_, "id" + std::to_string(i), i);
  }

  static void put(Database& database, const std::string& id, int n) {
    EXPECT_TRUE(database.put_item(
        {.table_name = "music", .item = packed({{"id", id}, {"n", n}, {"text", std::string(200, 'x')}})}));
  }
  static Side side(const std::string& name, Database& database) {
    return {.name = name, .connect = [&database]() -> Result<std::shared_ptr<Database>> {
              return std::shared_ptr<Database>(std::shared_ptr<void>(), &database);
            }};
  }
  CopyOptions options() {
    return {.segments = 8, .workers = 3, .pause = [this](std::chrono::milliseconds) { ++pauses_; }};
  }
  Result<CopyReport> copy(const CopyOptions& how) {
    TAVOLA_TRY(const auto state, CopyState::open(file_, "from", "to"));
    TAVOLA_TRY(const TablePlan plan, plan_table(*source_, moody_, "music", {"from", "to"}));
    return copy_table(side("from", *source_), side("to", moody_), plan, *state, how);
  }
  Comparison compare() {
    const TableDescription table = source_->describe_table({.table_name = "music"}).value().table;
    return compare_tables(side("from", *source_), side("to", *target_), table, options()).value();
  }
  std::int64_t copied() { return target_->describe_table({.table_name = "music"}).value().table.item_count; }

  ScratchDirectory folder_;
  const std::filesystem::path file_ = folder_.path() / "state.json";
  std::unique_ptr<Database> source_;
  std::unique_ptr<Database> target_;
  MoodyDatabase moody_;
  std::atomic<int> pauses_ = 0;
};

TEST_F(CopyTest, ATableIsCopiedWithAllThatItIs) {
  const auto report = copy(options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->was_created);
  EXPECT_FALSE(report->went_on);
  EXPECT_EQ(report->items, kItems);
  const TableDescription from = source_->describe_table({.table_name = "music"}).value().table;
  const TableDescription to = target_->describe_table({.table_name = "music"}).value().table;
  EXPECT_EQ(to.key_schema, from.key_schema);
  EXPECT_EQ(to.attribute_definitions, from.attribute_definitions);
  EXPECT_EQ(to.global_indexes, from.global_indexes);
  EXPECT_EQ(to.throughput, from.throughput);
  EXPECT_EQ(to.billing_mode, from.billing_mode);
  EXPECT_EQ(to.table_class, from.table_class);
  EXPECT_EQ(to.time_to_live_attribute, "until");
  EXPECT_EQ(target_->list_tags_of_resource({.table_name = "music"}).value().tags, Tags({{"team", "green"}}));
  const Comparison found = compare();
  EXPECT_TRUE(found.is_same());
  EXPECT_EQ(found.same, kItems);
}

TEST_F(CopyTest, WhatIsThrottledOrLeftIsSentAgain) {
  moody_.throttled_batches = 5;
  moody_.writes_left_of_each = 20;
  const auto report = copy(options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(copied(), kItems);
  EXPECT_GT(pauses_, 5);
}

TEST_F(CopyTest, ACopyThatIsCutGoesOn) {
  moody_.batches_until_cut = 9;
  const auto cut = copy(options());
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message(), "cut");
  EXPECT_GT(copied(), 0);
  EXPECT_LT(copied(), kItems);
  moody_.batches_until_cut = -1;
  const auto whole = copy(options());
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_TRUE(whole->went_on);
  EXPECT_FALSE(whole->was_created);
  EXPECT_EQ(whole->items, kItems) << "each is counted once";
  EXPECT_TRUE(compare().is_same());
}

TEST_F(CopyTest, WhatTheStateSaysIsDoneIsNotCopiedAgain) {
  ASSERT_TRUE(copy(options()));
  ASSERT_TRUE(target_->delete_item({.table_name = "music", .key = packed({{"id", "id3"}})}));
  ASSERT_TRUE(copy(options()));
  EXPECT_EQ(copied(), kItems - 1);
}

TEST_F(CopyTest, AnotherTableOfTheSameNameBeginsAnew) {
  ASSERT_TRUE(copy(options()));
  ASSERT_TRUE(target_->delete_table({.table_name = "music"}));
  const auto again = copy(options());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_FALSE(again->went_on);
  EXPECT_EQ(copied(), kItems);
}

TEST_F(CopyTest, ATableWithItemsIsNotWrittenToUnlessOneSaysSo) {
  ASSERT_TRUE(target_->create_table(
      {.table_name = "music", .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}}));
  put(*target_, "mine", 1);
  for (const TableStatus status : {TableStatus::Active, TableStatus::Updating}) {
    moody_.status = status;
    const auto refused = copy(options());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("--overwrite"));
  }
  moody_.status = TableStatus::Creating;  // a restore or an import may still add items
  EXPECT_THAT(copy(options()).error().message(), HasSubstr("is being created"));
  EXPECT_EQ(copied(), 1);
  moody_.status.reset();
  CopyOptions how = options();
  how.overwrite = true;
  ASSERT_TRUE(copy(how));
  EXPECT_EQ(copied(), kItems + 1);
  const Comparison found = compare();
  EXPECT_EQ(found.only_in_to, 1U);
  ASSERT_EQ(found.samples.size(), 1U);
  EXPECT_EQ(found.samples[0].key, R"({"id":{"S":"mine"}})");
}

TEST_F(CopyTest, AnotherKeyIsRefused) {
  ASSERT_TRUE(target_->create_table(
      {.table_name = "music", .attribute_definitions = {{"id", Type::Number}}, .key_schema = {{"id"}}}));
  const auto plan = plan_table(*source_, *target_, "music", {"from", "to"});
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message(), HasSubstr("another key"));
  EXPECT_THAT(plan_table(*source_, *target_, "none", {"from", "to"}).error().message(),
              HasSubstr("no table none in from"));
}

TEST_F(CopyTest, TagsThatNobodyMayReadAreLeftOutAndTold) {
  struct Secretive final : ForwardingDatabase {
    using ForwardingDatabase::ForwardingDatabase;
    Result<ListTagsOfResourceResponse> list_tags_of_resource(const ListTagsOfResourceRequest&) override {
      return fail(Error(ErrorCode::AccessDenied, "no"));
    }
    Result<DescribeTimeToLiveResponse> describe_time_to_live(const DescribeTimeToLiveRequest&) override {
      return fail(Error(ErrorCode::UnknownOperation, "what?"));
    }
  } secretive(*source_);
  const auto plan = plan_table(secretive, *target_, "music", {"from", "to"});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_THAT(plan->notes, testing::UnorderedElementsAre("its tags are not copied: no",
                                                         "its time to live is not copied: what?"));
}

TEST_F(CopyTest, TheStreamIsNotCopied) {
  UpdateTableRequest update{.table_name = "music"};
  update.stream.emplace(StreamView::NewImage);
  ASSERT_TRUE(source_->update_table(update));
  ASSERT_TRUE(copy(options()));
  EXPECT_FALSE(target_->describe_table({.table_name = "music"}).value().table.stream);
}

TEST_F(CopyTest, WhatIsRefusedIsToldAndTriedAgain) {
  moody_.refuses_id = "id42";
  const auto report = copy(options());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->items, kItems - 1);
  EXPECT_EQ(report->refused, 1U);
  ASSERT_EQ(report->samples.size(), 1U);
  EXPECT_EQ(report->samples[0].key, R"({"id":{"S":"id42"}})");
  EXPECT_EQ(report->samples[0].why, "Tavola: not this one");
  EXPECT_EQ(copied(), kItems - 1);
  moody_.refuses_id = "";
  const auto again = copy(options());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->refused, 0U);
  EXPECT_EQ(again->items, kItems);
  EXPECT_EQ(copied(), kItems);
}

TEST_F(CopyTest, ComparingFindsEveryKindOfDifference) {
  ASSERT_TRUE(copy(options()));
  put(*target_, "id7", 1000);
  ASSERT_TRUE(target_->delete_item({.table_name = "music", .key = packed({{"id", "id8"}})}));
  put(*target_, "more", 1);
  put(*target_, "more2", 1);
  const Comparison found = compare();
  EXPECT_EQ(found.same, kItems - 2);
  EXPECT_EQ(found.differ, 1U);
  EXPECT_EQ(found.only_in_from, 1U);
  EXPECT_EQ(found.only_in_to, 2U);
  const auto is_changed = [](const Difference& one) {
    return one.kind == Difference::Kind::Differs && one.key == R"({"id":{"S":"id7"}})" &&
           one.attributes == std::vector<std::string>{"n"};
  };
  EXPECT_THAT(found.samples, Contains(testing::Truly(is_changed)));
}

TEST_F(CopyTest, TheStateIsReadAsItWasWritten) {
  TableState table{.from_id = "a", .to_id = "b"};
  table.segments.push_back({.place = packed({{"id", "x\"y"}}), .items = 12, .refused = 3});
  table.segments.push_back({.done = true, .items = 7});
  table.segments.push_back({});
  {
    const auto state = CopyState::open(file_, "here", "there");
    ASSERT_TRUE(state);
    ASSERT_TRUE((*state)->begin("music", table));
  }
  const auto state = CopyState::open(file_, "here", "there");
  ASSERT_TRUE(state) << state.error().message();
  EXPECT_EQ((*state)->find("music"), table);
  EXPECT_FALSE((*state)->find("other"));
  const auto of_another = CopyState::open(file_, "here", "elsewhere");
  ASSERT_FALSE(of_another);
  EXPECT_THAT(of_another.error().message(), HasSubstr("a copy from here to there"));
  ASSERT_TRUE((*state)->begin("other", table));
  ASSERT_TRUE((*state)->forget(std::vector<std::string>{"other"}));
  EXPECT_EQ((*CopyState::open(file_, "here", "there"))->find("music"), table);
  ASSERT_TRUE((*state)->forget(std::vector<std::string>{"music"}));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

// The bytes are pinned: a copy that an earlier version began is resumed.
TEST_F(CopyTest, TheFormatOfTheStateIsPinned) {
  const std::string text =
      R"({"from":"here","to":"there","tables":[{"name":"music","from_id":"a","to_id":"b","segments":[)"
      R"({"items":12,"refused":3,"done":false,"place":{"id":{"S":"x"}}},{"items":7,"refused":0,"done":true}]}]})"
      "\n";
  std::ofstream(file_) << text;
  const auto state = CopyState::open(file_, "here", "there");
  ASSERT_TRUE(state) << state.error().message();
  TableState table{.from_id = "a", .to_id = "b"};
  table.segments.push_back({.place = packed({{"id", "x"}}), .items = 12, .refused = 3});
  table.segments.push_back({.done = true, .items = 7});
  EXPECT_EQ((*state)->find("music"), table);
  ASSERT_TRUE((*state)->save());
  std::ifstream in(file_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST_F(CopyTest, AFileOfSomethingElseIsLeftAlone) {
  for (const char* text : {"", "{}", "no json", "[1]", R"({"from": 1})"}) {
    std::ofstream(file_) << text;
    EXPECT_FALSE(CopyState::open(file_, "from", "to")) << text;
  }
}

}  // namespace
}  // namespace tavola::transfer
