// The scan, the writing and the retries that copies, dumps, loads and exports share.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database/forwarding_database.h"
#include "transfer/tables/created_table.h"
#include "transfer/tables/table_definition.h"
#include "transfer/walk/item_loader.h"
#include "transfer/walk/put_items.h"
#include "transfer/walk/table_scan.h"

namespace tavola::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Pause kNoPause = [](std::chrono::milliseconds) {};
const std::string kTable = "music";

PackedItem item_of(int n) { return pack({{"id", "id" + std::to_string(n)}, {"n", n}}).value(); }

std::unique_ptr<Database> database_with(int items) {
  auto database = open_in_memory();
  EXPECT_TRUE(database->create_table(
      {.table_name = kTable, .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}}));
  for (int i = 0; i < items; ++i) {
    EXPECT_TRUE(database->put_item({.table_name = kTable, .item = item_of(i)}));
  }
  return database;
}

std::int64_t count_of(Database& database) {
  return database.describe_table({.table_name = kTable}).value().table.item_count;
}

// Counts how often a call is made that always fails.
int tries_of(ErrorCode code) {
  int tries = 0;
  const Result<void> result = patiently(kNoPause, [&]() -> Result<void> {
    ++tries;
    return fail(Error(code, "no"));
  });
  EXPECT_FALSE(result);
  return tries;
}

TEST(Patience, DependsOnTheError) {
  for (const ErrorCode code : {ErrorCode::ProvisionedThroughputExceeded, ErrorCode::Throttling,
                               ErrorCode::TransactionConflict, ErrorCode::TransactionInProgress}) {
    EXPECT_EQ(tries_of(code), Patience::kThrottledTriesMax);
  }
  EXPECT_EQ(tries_of(ErrorCode::Io), Patience::kFailedTriesMax);
  EXPECT_EQ(tries_of(ErrorCode::Internal), Patience::kFailedTriesMax);
  EXPECT_EQ(tries_of(ErrorCode::Validation), 1);
  EXPECT_EQ(tries_of(ErrorCode::AccessDenied), 1);
}

TEST(Patience, LastsAsLongAsItSays) {
  using std::chrono::milliseconds;
  using std::chrono::minutes;
  using std::chrono::seconds;
  milliseconds waited{0};
  const Pause pause = [&](milliseconds time) { waited += time; };
  const auto time_of = [&](ErrorCode code) {
    waited = {};
    static_cast<void>(patiently(pause, [&]() -> Result<void> { return fail(Error(code, "no")); }));
    return waited;
  };
  const milliseconds throttled = time_of(ErrorCode::Throttling);
  EXPECT_GT(throttled, minutes(2));
  EXPECT_LT(throttled, minutes(6));
  const milliseconds unreachable = time_of(ErrorCode::Io);
  EXPECT_GT(unreachable, seconds(55)) << "enough for a restart";
  EXPECT_LT(unreachable, minutes(2));
}

TEST(Patience, BeginsAnewAfterProgress) {
  Patience patience(kNoPause);
  for (int i = 0; i < 3 * Patience::kThrottledTriesMax; ++i) {
    ASSERT_TRUE(patience.wait()) << i;
    patience.made_progress();
  }
}

TEST(TableScan, ReadsEveryItemOnceWithAnyNumberOfSegmentsAndThreads) {
  const auto database = database_with(300);
  for (const std::size_t segments : {1U, 2U, 7U}) {
    for (const std::size_t threads : {1U, 3U, 20U}) {
      std::multiset<std::string> seen;
      std::vector<SegmentPlace> ends(segments);
      const Result<void> done = scan_table(
          shared_by_all(*database),
          {.table_name = kTable, .places = std::vector<SegmentPlace>(segments), .threads = threads},
          one_at_a_time([&](const SegmentPage& page) -> Result<void> {
            for (const PackedItem& item : page.items) seen.insert(item.bytes());
            ends[page.segment] = page.next;
            return {};
          }));
      ASSERT_TRUE(done) << done.error().message();
      EXPECT_EQ(seen.size(), 300U);
      EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 300U);
      EXPECT_TRUE(std::ranges::all_of(ends, &SegmentPlace::is_done));
    }
  }
}

// Gives small pages.
class PagedDatabase : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<ScanResponse> scan(const ScanRequest& request) override {
    ++scans;
    ScanRequest small = request;
    small.limit = 10;
    return database().scan(small);
  }
  std::atomic<int> scans = 0;
};

TEST(TableScan, ResumesAtThePlacesOfAnEarlierScan) {
  const auto database = database_with(200);
  PagedDatabase paged(*database);
  TableScan scan{.table_name = kTable, .places = std::vector<SegmentPlace>(4)};
  std::set<std::string> seen;
  int pages = 0;
  const auto use = [&](const SegmentPage& page) -> Result<void> {
    if (++pages == 8) return fail(Error::validation("the disk is full"));
    for (const PackedItem& item : page.items) EXPECT_TRUE(seen.insert(item.bytes()).second);
    scan.places[page.segment] = page.next;
    return {};
  };
  // The scan has places of its own: `use` changes those of the next one.
  const Result<void> cut = scan_table(shared_by_all(paged), TableScan(scan), one_at_a_time(use));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message(), "the disk is full");
  EXPECT_LT(seen.size(), 200U);
  ASSERT_TRUE(scan_table(shared_by_all(paged), TableScan(scan), one_at_a_time(use)));
  EXPECT_EQ(seen.size(), 200U);
  paged.scans = 0;
  ASSERT_TRUE(scan_table(shared_by_all(paged), TableScan(scan), one_at_a_time(use)));
  EXPECT_EQ(paged.scans, 0) << "everything is done";
}

// A dump whose disk is full must not write the page of another thread behind half a page.
TEST(TableScan, AUserThatHasFailedGetsNoMorePages) {
  int calls = 0;
  const BeginThread begin = one_at_a_time([&](const SegmentPage&) -> Result<void> {
    ++calls;
    return fail(Error::validation("the disk is full"));
  });
  const UsePage one = begin().value();
  const UsePage other = begin().value();
  EXPECT_FALSE(one(SegmentPage{}));
  EXPECT_TRUE(other(SegmentPage{}));
  EXPECT_EQ(calls, 1);
}

TEST(TableScan, FailsIfAThreadCannotConnect) {
  const auto database = database_with(1);
  const BeginThread fails = []() -> Result<UsePage> {
    return fail(Error(ErrorCode::AccessDenied, "no key"));
  };
  const TableScan scan{.table_name = kTable, .places = std::vector<SegmentPlace>(4)};
  EXPECT_EQ(scan_table(shared_by_all(*database), scan, fails).error().message(), "no key");
}

// Refuses items by their n, leaves everything unprocessed, or fails.
class DifficultDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  std::map<int, ErrorCode> refused{};
  bool takes_nothing = false;

  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    if (takes_nothing) return BatchWriteItemResponse{.unprocessed_items = request.tables};
    for (const BatchWrite& write : request.tables.front().writes) TAVOLA_CHECK(check(write.item));
    return database().batch_write_item(request);
  }
  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    TAVOLA_CHECK(check(request.item));
    return database().put_item(request);
  }

 private:
  Result<void> check(const PackedItem& item) const {
    for (const auto& [n, code] : refused) {
      if (item == item_of(n)) return fail(Error(code, "not " + std::to_string(n)));
    }
    return {};
  }
};

TEST(PutItems, OneItemThatIsRefusedStopsNoOther) {
  for (const ErrorCode code :
       {ErrorCode::Validation, ErrorCode::Serialization, ErrorCode::ConditionalCheckFailed,
        ErrorCode::TransactionCanceled, ErrorCode::ItemCollectionSizeLimitExceeded}) {
    const auto database = database_with(0);
    DifficultDatabase difficult(*database);
    difficult.refused = {{3, code}, {60, code}};
    std::vector<PackedItem> items;
    for (int i = 0; i < 70; ++i) items.push_back(item_of(i));
    std::vector<std::string> seen;
    const auto put = put_items({.database = difficult, .table_name = kTable, .pause = kNoPause}, items,
                               [&](const PackedItem&, const Error& error) -> Result<void> {
                                 seen.push_back(error.message());
                                 return {};
                               });
    ASSERT_TRUE(put) << put.error().message();
    EXPECT_EQ(*put, 68U);
    EXPECT_THAT(seen, ElementsAre("not 3", "not 60"));
    EXPECT_EQ(count_of(*database), 68);
  }
}

TEST(PutItems, AnErrorThatIsNotOfTheItemEndsIt) {
  const auto database = database_with(0);
  DifficultDatabase difficult(*database);
  difficult.refused = {{3, ErrorCode::AccessDenied}};
  const std::vector<PackedItem> items{item_of(1), item_of(3)};
  const auto never = [](const PackedItem&, const Error&) -> Result<void> {
    ADD_FAILURE();
    return {};
  };
  const PutTarget target{.database = difficult, .table_name = kTable, .pause = kNoPause};
  EXPECT_EQ(put_items(target, items, never).error().message(), "not 3");
  difficult.refused.clear();
  difficult.takes_nothing = true;
  EXPECT_THAT(put_items(target, items, never).error().message(),
              testing::AllOf(HasSubstr("more capacity"), HasSubstr("resumes")));
}

TEST(ItemLoader, NamesTheOriginOfARefusedItem) {
  const auto database = database_with(0);
  DifficultDatabase difficult(*database);
  difficult.refused = {{7, ErrorCode::Validation}};
  std::vector<std::string> reported;
  ItemLoader loader(
      {.database = difficult,
       .table = database->describe_table({.table_name = kTable}).value().table,
       .threads = 3,
       .keeps_going = true,
       .report = [&](const Origin& origin,
                     const Error& error) { reported.push_back(at_origin(origin, error.message())); },
       .pause = kNoPause});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(loader.add({.item = item_of(i), .origin = {"a.jsonl", static_cast<std::uint64_t>(i)}}));
  }
  ASSERT_TRUE(loader.drain());
  EXPECT_THAT(reported, ElementsAre("a.jsonl:7: not 7"));
  EXPECT_EQ(loader.put(), 99U);
  EXPECT_EQ(loader.refused(), 1U);
}

// A server whose new table is not found at first, and then has these states one after the other.
class SlowDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  int missing = 0;
  std::vector<TableStatus> states{};

  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    if (missing-- > 0) return fail(Error::resource_not_found("Requested resource not found"));
    TAVOLA_TRY(DescribeTableResponse response, database().describe_table(request));
    if (!states.empty()) response.table.status = states.front();
    if (states.size() > 1) states.erase(states.begin());
    return response;
  }
};

TEST(CreateAndWait, WaitsUntilTheTableTakesItems) {
  for (const TableStatus usable : {TableStatus::Active, TableStatus::Updating}) {
    const auto database = open_in_memory();
    SlowDatabase slow(*database);
    slow.missing = 3;
    slow.states = {TableStatus::Creating, TableStatus::Creating, usable};
    int pauses = 0;
    const auto table = create_and_wait(
        slow, {.table_name = kTable, .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}},
        [&](std::chrono::milliseconds) { ++pauses; });
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->status, usable);
    EXPECT_EQ(pauses, 5);
  }
}

TEST(CreateAndWait, GivesUp) {
  const auto database = database_with(0);
  SlowDatabase slow(*database);
  slow.states = {TableStatus::Creating};
  EXPECT_THAT(wait_until_usable(slow, kTable, kNoPause).error().message(), HasSubstr("within ten minutes"));
  slow.missing = 1000;
  EXPECT_EQ(wait_until_usable(slow, kTable, kNoPause).error().code(), ErrorCode::ResourceNotFound);
}

TEST(TableDefinition, HasOnlyWhatCreateTableTakes) {
  struct Described final : ForwardingDatabase {
    using ForwardingDatabase::ForwardingDatabase;
    Result<ListTagsOfResourceResponse> list_tags_of_resource(const ListTagsOfResourceRequest&) override {
      return ListTagsOfResourceResponse{.tags = {{"aws:stack", "x"}, {"team", "green"}}};
    }
  };
  const auto database = database_with(0);
  Described described(*database);
  TableDescription table = database->describe_table({.table_name = kTable}).value().table;
  table.billing_mode = BillingMode::PayPerRequest;
  table.throughput = Throughput{0, 0};
  table.stream = StreamView::NewImage;
  table.global_indexes = {{.name = "byId", .key_schema = {{"id"}}, .throughput = {{0, 0}}}};
  table.global_indexes[0].warm_throughput.emplace();
  std::vector<std::string> notes;
  const auto definition = definition_of(described, table, notes);
  ASSERT_TRUE(definition) << definition.error().message();
  EXPECT_FALSE(definition->table.throughput);
  EXPECT_FALSE(definition->table.global_indexes[0].throughput);
  EXPECT_FALSE(definition->table.global_indexes[0].warm_throughput);
  EXPECT_EQ(definition->table.stream, StreamView::NewImage);
  EXPECT_EQ(definition->table.tags, Tags({{"team", "green"}})) << "tags of AWS cannot be set";
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace tavola::transfer
