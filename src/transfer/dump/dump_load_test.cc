// Tables into files and back, and interruptions.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "database/forwarding_database.h"
#include "transfer/dump/dump_table.h"
#include "transfer/dump/job_state.h"
#include "transfer/dump/load_files.h"
#include "transfer/formats/test_text.h"
#include "transfer/tables/table_definition.h"

namespace tavola::transfer {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const Pause kNoPause = [](std::chrono::milliseconds) {};

CreateTableRequest orders(const std::string& name = "orders") {
  return {.table_name = name,
          .attribute_definitions = {{"PK"}, {"SK", Type::Number}, {"owner"}},
          .key_schema = {{"PK"}, {"SK", KeyType::Range}},
          .global_indexes = {{.name = "byOwner", .key_schema = {{"owner"}}}},
          .stream = StreamView::NewImage,
          .tags = {{"team", "blue"}}};
}

std::unique_ptr<Database> database_with(int items) {
  auto database = open_in_memory();
  EXPECT_TRUE(database->create_table(orders()));
  for (int i = 0; i < items; ++i) {
    const Item item{{"PK", "p" + std::to_string(i % 50)}, {"SK", i}, {"text", std::string(300, 'x')}};
    EXPECT_TRUE(database->put_item({.table_name = "orders", .item = pack(item).value()}));
  }
  return database;
}

std::vector<std::string> items_of(Database& database, const std::string& table = "orders") {
  std::vector<std::string> items;
  ScanRequest request{.table_name = table};
  do {
    auto page = database.scan(request);
    EXPECT_TRUE(page);
    for (const PackedItem& item : page->items) items.push_back(item.bytes());
    request.exclusive_start_key = page->last_evaluated_key;
  } while (request.exclusive_start_key);
  std::ranges::sort(items);
  return items;
}

DumpRequest dump_of(Database& database, const fs::path& file, FileKind kind = {}) {
  return {.database = database,
          .from = "here",
          .table_name = "orders",
          .file = file,
          .kind = kind,
          .pause = kNoPause,
          .bytes_between_states = 10'000};
}
LoadRequest load_of(Database& database, std::vector<fs::path> files) {
  return {.database = database,
          .into = "there",
          .table_name = "orders",
          .files = std::move(files),
          .pause = kNoPause,
          .records_between_states = 100};
}

// Fails after so many pages were returned, or so many items taken.
class CutDatabase final : public ForwardingDatabase {
 public:
  CutDatabase(Database& database, int most) : ForwardingDatabase(database), left_(most) {}
  Result<ScanResponse> scan(const ScanRequest& request) override {
    if (left_-- <= 0) return fail(Error(ErrorCode::Io, "cut"));
    ScanRequest smaller = request;
    smaller.limit = 100;
    return database().scan(smaller);
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    left_ -= static_cast<int>(request.tables.front().writes.size());
    if (left_ < 0) return fail(Error(ErrorCode::Io, "cut"));
    return database().batch_write_item(request);
  }

 private:
  std::atomic<int> left_;
};

// Fails every second request with a temporary error, and leaves half of each batch.
class BusyDatabase final : public ForwardingDatabase {
 public:
  explicit BusyDatabase(Database& database,
                        std::vector<ErrorCode> errors = {ErrorCode::ProvisionedThroughputExceeded,
                                                         ErrorCode::Throttling,
                                                         ErrorCode::TransactionConflict,
                                                         ErrorCode::TransactionInProgress})
      : ForwardingDatabase(database), errors_(std::move(errors)) {}
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    if (const std::size_t asked = asked_++; asked % 2 == 0)
      return fail(Error(errors_[asked / 2 % errors_.size()], "busy"));
    BatchWriteItemRequest half = request;
    auto& writes = half.tables.front().writes;
    const std::size_t kept = (writes.size() + 1) / 2;
    TableWrites rest{.table_name = half.tables.front().table_name,
                     .writes = {writes.begin() + static_cast<std::ptrdiff_t>(kept), writes.end()}};
    writes.resize(kept);
    TAVOLA_TRY(BatchWriteItemResponse response, database().batch_write_item(half));
    if (!rest.writes.empty()) response.unprocessed_items.push_back(std::move(rest));
    return response;
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    if (const std::size_t asked = asked_++; asked % 2 == 0)
      return fail(Error(errors_[asked / 2 % errors_.size()], "busy"));
    return database().scan(request);
  }

 private:
  const std::vector<ErrorCode> errors_;
  std::atomic<std::size_t> asked_ = 0;
};

TEST(DumpAndLoad, ATableComesBackWithItsDefinition) {
  const TestFolder folder;
  const auto from = database_with(1000);
  ASSERT_TRUE(from->update_time_to_live({.table_name = "orders", .attribute_name = "ttl", .enabled = true}));
  for (const char* name : {"a.jsonl", "b.jsonl.gz", "c.json.zst"}) {
    const fs::path file = folder.path() / name;
    const auto dumped = dump_table(dump_of(*from, file, kind_of(name).value()));
    ASSERT_TRUE(dumped) << dumped.error().message();
    EXPECT_EQ(dumped->items, 1000U);
    EXPECT_FALSE(fs::exists(file.string() + ".part"));
    EXPECT_FALSE(fs::exists(file.string() + ".part.json"));

    const auto to = open_in_memory();
    LoadRequest load = load_of(*to, {file});
    EXPECT_THAT(load_files(load).error().message(), HasSubstr("add --create"));
    load.creates = true;
    const auto loaded = load_files(load);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->items, 1000U);
    EXPECT_TRUE(loaded->is_created);
    EXPECT_EQ(items_of(*to), items_of(*from));
    const TableDescription table = to->describe_table({.table_name = "orders"})->table;
    EXPECT_EQ(table.global_indexes.size(), 1U);
    EXPECT_EQ(table.stream, StreamView::NewImage);
    EXPECT_EQ(to->list_tags_of_resource({.table_name = "orders"})->tags, orders().tags);
    EXPECT_EQ(to->describe_time_to_live({.table_name = "orders"})->time_to_live.attribute_name, "ttl");
    EXPECT_TRUE(load_files(load)) << "again: the same";
    EXPECT_EQ(items_of(*to), items_of(*from));
  }
}

TEST(DumpAndLoad, CsvKeepsKeysAndTexts) {
  const TestFolder folder;
  const auto from = database_with(200);
  const fs::path file = folder.path() / "orders.csv.gz";
  ASSERT_TRUE(dump_table(dump_of(*from, file, kind_of(file.string()).value())));
  const auto to = open_in_memory();
  LoadRequest load = load_of(*to, {file});
  load.creates = true;
  ASSERT_TRUE(load_files(load));
  EXPECT_EQ(items_of(*to), items_of(*from));
}

// Puts an item with another attribute after the table was read.
class GrowingDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<ScanResponse> scan(const ScanRequest& request) override {
    TAVOLA_TRY(ScanResponse page, database().scan(request));
    const Item item{{"PK", "p"}, {"SK", 1'000'000}, {"note", "new"}};
    if (!page.last_evaluated_key) {
      TAVOLA_CHECK(database().put_item({.table_name = "orders", .item = pack(item).value()}));
    }
    return page;
  }
};

TEST(DumpAndLoad, AnAttributeWithoutAColumnIsNotLost) {
  const TestFolder folder;
  const auto from = database_with(100);
  GrowingDatabase growing(*from);
  const fs::path file = folder.path() / "orders.csv";
  DumpRequest dump = dump_of(growing, file, kind_of(file.string()).value());
  dump.segments = 1;
  dump.bytes_between_states = 1;
  const auto refused = dump_table(dump);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("the new attribute note since its columns were read"));
  EXPECT_FALSE(fs::exists(file));
  const auto dumped = dump_table(dump);
  ASSERT_TRUE(dumped) << dumped.error().message();
  EXPECT_EQ(dumped->items, 101U);
  EXPECT_THAT(text_of_file(file), testing::StartsWith("PK,SK,note,text\n"));
}

TEST(DumpAndLoad, ADumpThatWasCutGoesOn) {
  const TestFolder folder;
  const auto from = database_with(2000);
  // CSV reads the table twice, and saves its columns when it begins the second time.
  const std::pair<const char*, int> cases[] = {{"a.jsonl", 8}, {"b.jsonl.gz", 8}, {"c.csv.zst", 34}};
  for (const auto& [name, requests] : cases) {
    const fs::path file = folder.path() / name;
    std::optional<Dumped> whole;
    std::uint64_t before = 0;
    int runs = 0;
    for (; !whole && runs < 50; ++runs) {
      CutDatabase cut(*from, requests);
      const auto dumped = dump_table(dump_of(cut, file, kind_of(name).value()));
      EXPECT_EQ(fs::exists(file), dumped.has_value()) << "a file of that name is whole";
      if (dumped) whole = *dumped;
      if (whole) before = whole->items_before;
    }
    ASSERT_TRUE(whole) << name;
    EXPECT_GT(runs, 1) << "it was interrupted";
    EXPECT_GT(before, 0U);
    EXPECT_EQ(whole->items, 2000U);
    const auto to = open_in_memory();
    LoadRequest load = load_of(*to, {file});
    load.creates = true;
    ASSERT_TRUE(load_files(load));
    EXPECT_EQ(items_of(*to), items_of(*from));
  }
}

TEST(DumpAndLoad, ADumpReplacesNothingUnasked) {
  const TestFolder folder;
  const auto from = database_with(300);
  const fs::path file = folder.write("orders.jsonl", "mine");
  EXPECT_THAT(dump_table(dump_of(*from, file)).error().message(), HasSubstr("add --overwrite"));
  EXPECT_EQ(text_of_file(file), "mine");
  DumpRequest over = dump_of(*from, file);
  over.overwrites = true;
  ASSERT_TRUE(dump_table(over));
  EXPECT_NE(text_of_file(file), "mine");

  const fs::path other = folder.path() / "other.jsonl";
  CutDatabase cut(*from, 2);
  ASSERT_FALSE(dump_table(dump_of(cut, other)));
  DumpRequest elsewhere = dump_of(*from, other);
  elsewhere.from = "elsewhere";
  EXPECT_THAT(dump_table(elsewhere).error().message(), HasSubstr("belongs to another dump"));
  folder.write("other.jsonl.part.json", "{}");
  EXPECT_THAT(dump_table(dump_of(*from, other)).error().message(), HasSubstr("remove it to start again"));
}

TEST(DumpAndLoad, ALoadThatWasCutGoesOn) {
  const TestFolder folder;
  const auto from = database_with(2000);
  const fs::path a = folder.path() / "a.jsonl.gz";
  ASSERT_TRUE(dump_table(dump_of(*from, a, kind_of(a.string()).value())));
  const fs::path b = folder.write("b.jsonl", R"({"PK":{"S":"b"},"SK":{"N":"1"}})"
                                             "\n");
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  std::optional<Loaded> whole;
  int runs = 0;
  for (; !whole && runs < 50; ++runs) {
    CutDatabase cut(*to, 450);
    const auto loaded = load_files(load_of(cut, {a, b}));
    if (loaded) whole = *loaded;
    EXPECT_EQ(fs::exists(a.string() + ".orders.loading"), !loaded.has_value());
  }
  ASSERT_TRUE(whole);
  EXPECT_GT(runs, 1) << "it was interrupted";
  EXPECT_GT(whole->records_before, 0U);
  EXPECT_LT(whole->items, 2001U) << "only what was left";
  EXPECT_EQ(items_of(*to).size(), 2001U);

  // A changed file counts as another one.
  CutDatabase cut(*to, 40);
  ASSERT_FALSE(load_files(load_of(cut, {a})));
  std::ofstream(a, std::ios::binary | std::ios::app)
      << compressed("{\"PK\":{\"S\":\"c\"},\"SK\":{\"N\":\"1\"}}", Compression::Gzip);
  EXPECT_EQ(load_files(load_of(*to, {a}))->items, 2001U);
}

TEST(DumpAndLoad, BusyDatabasesAreAskedAgain) {
  const TestFolder folder;
  const auto from = database_with(500);
  BusyDatabase busy_from(*from);
  const fs::path file = folder.path() / "a.jsonl";
  ASSERT_TRUE(dump_table(dump_of(busy_from, file)));
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  BusyDatabase busy_to(*to);
  const auto loaded = load_files(load_of(busy_to, {file}));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->items, 500U);
  EXPECT_EQ(items_of(*to), items_of(*from));
}

// Each request is retried alone, and succeeds.
TEST(DumpAndLoad, ConnectionsThatBreakAreMadeAgain) {
  const TestFolder folder;
  const auto from = database_with(500);
  BusyDatabase broken_from(*from, {ErrorCode::Io, ErrorCode::Internal});
  const fs::path file = folder.path() / "a.jsonl";
  DumpRequest dump = dump_of(broken_from, file);
  dump.segments = 1;
  const auto dumped = dump_table(dump);
  ASSERT_TRUE(dumped) << dumped.error().message();
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  BusyDatabase broken_to(*to, {ErrorCode::Io, ErrorCode::Internal});
  LoadRequest load = load_of(broken_to, {file});
  load.threads = 1;
  const auto loaded = load_files(load);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(items_of(*to), items_of(*from));
}

// The bytes are pinned: a dump or load that an earlier version began is resumed.
TEST(JobState, FormatsArePinned) {
  const std::string dump =
      R"({"table":"orders","table_id":"t","from":"here","format":"csv","compression":"gzip","delimiter":";",)"
      R"("columns":["PK","SK"],"bytes":12,"items":3,"segments":[{"done":true},{"done":false,"start":{"PK":{"S":"p"}}}]})"
      "\n";
  const auto dump_state = read_dump_state(dump);
  ASSERT_TRUE(dump_state) << dump_state.error().message();
  EXPECT_EQ(to_json(*dump_state), dump);
  const std::string load =
      R"({"table_id":"t","into":"there","file_bytes":9,"file_time":"-12","format":"jsonl","compression":"none",)"
      R"("delimiter":"","header":["a"],"records":5,"wrong":1,"done":true})"
      "\n";
  const auto load_state = read_load_state(load);
  ASSERT_TRUE(load_state) << load_state.error().message();
  EXPECT_EQ(to_json(*load_state), load);
}

TEST(Load, WithOtherOptionsBeginsAnew) {
  struct Options {
    std::string format{};
    CsvOptions csv{};
  };
  for (const Options& wrong : {Options{.csv = {.delimiter = ";"}}, Options{.csv = {.header = {"PK", "SK"}}},
                               Options{.format = "jsonl"}}) {
    const TestFolder folder;
    const fs::path file = folder.write("a.csv", "PK,SK\nx,1\ny,2\n");
    const auto to = open_in_memory();
    ASSERT_TRUE(to->create_table(orders()));
    // The first file is done, and the second one ends the load.
    LoadRequest cut = load_of(*to, {file, folder.path() / "missing.csv"});
    cut.format = wrong.format;
    cut.csv = wrong.csv;
    cut.keeps_going = true;
    ASSERT_FALSE(load_files(cut));
    const auto loaded = load_files(load_of(*to, {file}));
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->items, 2U) << wrong.format << wrong.csv.delimiter;
    EXPECT_EQ(items_of(*to).size(), 2U);
  }
}

TEST(Load, SaysWhichKeyTheHeaderOfACsvLacks) {
  const TestFolder folder;
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  const auto refusal = [&](const char* text) {
    const auto loaded = load_files(load_of(*to, {folder.write("a.csv", text)}));
    return loaded ? "" : loaded.error().message();
  };
  EXPECT_THAT(
      refusal("PK;SK;n\nx;1;2\n"),
      HasSubstr("a.csv: the header has no column PK, a key of the table; its first column is PK;SK;n; "));
  EXPECT_THAT(refusal("PK,n\nx,2\n"),
              HasSubstr("the header has no column SK, a key of the table; its first column is PK; "));
  EXPECT_EQ(refusal("n,SK,PK\n2,1,x\n"), "");
}

TEST(Load, ThatGoesOnStillTellsWhatWasWrong) {
  const TestFolder folder;
  const fs::path file = folder.write("a.jsonl", "nonsense\n{\"PK\":{\"S\":\"1\"}}\n");
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  LoadRequest load = load_of(*to, {file, folder.path() / "b.jsonl"});
  load.keeps_going = true;
  ASSERT_FALSE(load_files(load)) << "b is not there";
  folder.write("b.jsonl", "nonsense\n{\"PK\":{\"S\":\"1\"},\"SK\":{\"N\":\"1\"}}\n");
  const auto loaded = load_files(load);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->items, 1U);
  EXPECT_EQ(loaded->wrong, 3U);
}

TEST(Load, OfTheSameKeyTheLastOneStays) {
  const TestFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += R"({"PK":{"S":")" + std::to_string(i % 7) + R"("},"SK":{"N":"1"},"n":{"N":")" +
            std::to_string(i) + "\"}}\n";
  }
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  ASSERT_TRUE(load_files(load_of(*to, {folder.write("a.jsonl", text)})));
  std::vector<std::string> numbers;
  for (const std::string& bytes : items_of(*to))
    numbers.push_back(PackedItem(bytes).find("n")->number().to_string());
  EXPECT_THAT(numbers, testing::UnorderedElementsAre("2993", "2994", "2995", "2996", "2997", "2998", "2999"));
}

TEST(Load, WhatIsWrongIsToldWithItsPlace) {
  const TestFolder folder;
  const fs::path file = folder.write("a.jsonl",
                                     "{\"PK\":{\"S\":\"1\"},\"SK\":{\"N\":\"1\"}}\n"
                                     "nonsense\n"
                                     "{\"PK\":{\"S\":\"1\"}}\n"
                                     "{\"PK\":{\"S\":\"1\"},\"SK\":{\"S\":\"2\"}}\n"
                                     "{\"PK\":{\"S\":\"1\"},\"SK\":{\"N\":\"5\"}}\n");
  const auto to = open_in_memory();
  ASSERT_TRUE(to->create_table(orders()));
  EXPECT_THAT(load_files(load_of(*to, {file})).error().message(),
              HasSubstr("a.jsonl:2: the line is not an item in DynamoDB JSON"));
  std::map<std::uint64_t, std::string> reported;
  LoadRequest load = load_of(*to, {file});
  load.keeps_going = true;
  load.report = [&](const Origin& origin, const Error& error) { reported[origin.line] = error.message(); };
  const auto loaded = load_files(load);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->items, 2U);
  EXPECT_EQ(loaded->wrong, 3U);
  EXPECT_EQ(items_of(*to).size(), 2U);
  ASSERT_EQ(reported.size(), 3U);
  EXPECT_THAT(reported[3], HasSubstr("Missing the key SK in the item"));
  EXPECT_THAT(reported[4], HasSubstr("Type mismatch for key SK"));
}

TEST(TableDefinition, ComesBackAndTakesWhatCreateTableTakes) {
  TableDefinition definition{.table = orders(), .time_to_live_attribute = "ttl"};
  definition.table.global_indexes.front().projection = {.type = ProjectionType::Include, .attributes = {"x"}};
  definition.table.billing_mode = BillingMode::Provisioned;
  definition.table.throughput = Throughput{.read_units = 3, .write_units = 4};
  definition.table.global_indexes.front().throughput = Throughput{.read_units = 1, .write_units = 2};
  const std::string json = to_json(definition);
  EXPECT_EQ(to_json(read_definition(json).value()), json);
  EXPECT_EQ(
      read_definition(
          R"({"TableName": "abc", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
             "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]})")
          ->table.table_name,
      "abc");
  EXPECT_THAT(read_definition("[]").error().message(), HasSubstr("not a table definition"));
  EXPECT_THAT(read_definition("{}").error().message(), HasSubstr("not a table definition"));
}

}  // namespace
}  // namespace tavola::transfer
