// Exports and imports as a server does them, with a database that can be restored.
#include "transfer/exports/table_files.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/test_files.h"
#include "transfer/formats/item_reader.h"
#include "transfer/formats/test_text.h"
#include "wire/codec/json.h"

namespace tavola::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kMoment{1};

class SetClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(std::chrono::milliseconds(millis_++)); }
  void add(std::chrono::milliseconds time) { millis_ += time.count(); }

 private:
  mutable std::atomic<std::int64_t> millis_ = 1'700'000'000'000;
};

// Continuous backups as in the engine, of one past time.
class RestorableDatabase final : public ForwardingDatabase {
 public:
  explicit RestorableDatabase(Database& database) : ForwardingDatabase(database) {}
  bool is_on = true;
  WallTime earliest{};
  std::unique_ptr<Database> past{};
  std::atomic<int> writes_left = 1'000'000;
  std::atomic<bool> is_restoring = false;  // tables of exports are not ready

  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    TAVOLA_TRY(DescribeTableResponse described, database().describe_table(request));
    if (is_restored(request.table_name)) described.table.status = TableStatus::Creating;
    return described;
  }
  // Shows a state before the latest deletions, as the durable state of a server can be.
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override {
    TAVOLA_TRY(ListTablesResponse listed, database().list_tables(request));
    const MutexLock lock(mutex_);
    for (const std::string& table : deleted_) listed.table_names.push_back(table);
    return listed;
  }
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override {
    if (is_restored(request.table_name)) return fail(Error::resource_in_use("it is being created"));
    {
      const MutexLock lock(mutex_);
      deleted_.push_back(request.table_name);
    }
    return database().delete_table(request);
  }
  Result<DescribeContinuousBackupsResponse> describe_continuous_backups(
      const DescribeContinuousBackupsRequest&) override {
    DescribeContinuousBackupsResponse response;
    if (is_on) response.backups.recovery.emplace();
    response.backups.earliest = earliest;
    return response;
  }
  Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& request) override {
    TAVOLA_TRY(const auto described, past->describe_table({.table_name = request.source_table_name}));
    TAVOLA_CHECK(database().create_table({.table_name = request.target_table_name,
                                          .attribute_definitions = described.table.attribute_definitions,
                                          .key_schema = described.table.key_schema}));
    TAVOLA_TRY(const auto page, past->scan({.table_name = request.source_table_name}));
    for (const PackedItem& item : page.items) {
      TAVOLA_CHECK(database().put_item({.table_name = request.target_table_name, .item = item}));
    }
    return RestoreTableToPointInTimeResponse{};
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    if (writes_left-- <= 0) return fail(Error::internal("the disk is on fire"));
    return database().batch_write_item(request);
  }

 private:
  bool is_restored(const std::string& table) const {
    return is_restoring && table.starts_with("tavola-export-");
  }

  Mutex mutex_;
  std::vector<std::string> deleted_ TAVOLA_GUARDED_BY(mutex_){};
};

CreateTableRequest music(const std::string& name = "music") {
  return {.table_name = name,
          .attribute_definitions = {{"id"}, {"n", Type::Number}},
          .key_schema = {{"id"}, {"n", KeyType::Range}}};
}

class TableFilesTest : public testing::Test {
 protected:
  TableFilesTest() : engine_(open_in_memory()), database_(*engine_) {
    fs::create_directories(folder_.path() / "buckets" / "mine");
    EXPECT_TRUE(engine_->create_table(music()));
    files_ = opened();
  }
  std::unique_ptr<TableFiles> opened(bool with_buckets = true) {
    auto files = TableFiles::open({.database = database_,
                                   .buckets = with_buckets ? folder_.path() / "buckets" : fs::path(),
                                   .state = folder_.path() / "state",
                                   .place = {.region = "eu"},
                                   .clock = clock_,
                                   .pause = [](auto) { std::this_thread::sleep_for(kMoment); },
                                   .settle = [this] { return settle(); },
                                   .report =
                                       [this](const std::string& what, const std::string& why) {
                                         const MutexLock lock(reports_mutex_);
                                         reports_ += what + ": " + why + "\n";
                                       }});
    EXPECT_TRUE(files) << files.error().message();
    return std::move(*files);
  }
  Result<void> settle() {
    const bool is_deleted = engine_->list_tables({})->table_names.size() == 1;
    if (!is_disk_full_after_deletion_ || !is_deleted) return {};
    return fail(Error(ErrorCode::Io, "the disk is full"));
  }
  // Begins the export of a past moment, and returns the name of its table, which stays under restore.
  std::string restoring() {
    database_.past = engine_->freeze().value();
    database_.is_restoring = true;
    const std::size_t before = engine_->list_tables({})->table_names.size();
    ExportTableRequest request = to_mine();
    request.moment = clock_.now() - std::chrono::seconds(1);
    EXPECT_TRUE(files_->export_table(request));
    while (engine_->list_tables({})->table_names.size() == before) std::this_thread::sleep_for(kMoment);
    const std::vector<std::string> tables = engine_->list_tables({})->table_names;
    return *std::ranges::find_if(tables, [](const std::string& name) { return name.starts_with("tavola-"); });
  }
  void put(int count, const std::string& text = "t") {
    for (int i = 0; i < count; ++i) {
      const Item item{{"id", std::to_string(i)}, {"n", i}, {"text", text}};
      ASSERT_TRUE(engine_->put_item({.table_name = "music", .item = pack(item).value()}));
    }
  }
  ExportTableRequest to_mine() const {
    return {.table_name = "music", .client_token = "t1", .bucket = "mine", .prefix = "pre/fix"};
  }
  ImportTableRequest from_mine(const std::string& prefix) const {
    return {.client_token = "i1", .bucket = "mine", .prefix = prefix, .table = music("target")};
  }
  ExportDescription done(const std::string& name) {
    files_->wait_until_idle();
    return files_->describe_export({.export_name = name})->description;
  }
  ImportDescription imported(const ImportTableRequest& request) {
    const auto begun = files_->import_table(request);
    EXPECT_TRUE(begun) << begun.error().message();
    if (!begun) return {};
    EXPECT_EQ(begun->description.status, ImportStatus::InProgress);
    files_->wait_until_idle();
    return files_->describe_import({.import_name = begun->description.import_name})->description;
  }
  fs::path mine() const { return folder_.path() / "buckets" / "mine"; }
  std::size_t count_of(const std::string& table) {
    const auto page = engine_->scan({.table_name = table});
    return page ? page->items.size() : 0;
  }
  std::string error_of(const auto& result) {
    return result ? "none"
                  : std::string(exception_name(result.error().code())) + ": " + result.error().message();
  }

  std::string reports() {
    const MutexLock lock(reports_mutex_);
    return reports_;
  }

  TestFolder folder_;
  Mutex reports_mutex_;
  std::string reports_ TAVOLA_GUARDED_BY(reports_mutex_);
  SetClock clock_;
  std::unique_ptr<Database> engine_;
  std::atomic<bool> is_disk_full_after_deletion_ = false;
  RestorableDatabase database_;
  std::unique_ptr<TableFiles> files_;
};

// Returns the lines of an export's data files.
std::vector<std::string> texts_in(const fs::path& folder) {
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(folder / "data")) {
    const auto reader =
        read_items(open_source(entry.path(), Compression::Gzip).value(), {.format = Format::Lines}).value();
    while (auto record = reader->next().value()) {
      texts.emplace_back(record->item->find("id")->string());
      texts.back() += "=" + std::string(record->item->find("text")->string());
    }
  }
  std::ranges::sort(texts);
  return texts;
}

TEST_F(TableFilesTest, AnExportIsLaidOutAsOnAws) {
  put(3);
  const auto begun = files_->export_table(to_mine());
  ASSERT_TRUE(begun) << begun.error().message();
  EXPECT_EQ(begun->description.status, ExportStatus::InProgress);
  put(5, "later");  // is not seen
  const ExportDescription description = done(begun->description.export_name);
  EXPECT_EQ(description.status, ExportStatus::Completed) << description.failure_message;
  EXPECT_EQ(description.item_count, 3);
  EXPECT_GT(description.billed_bytes, 0);
  const std::string id = description.export_name.substr(std::string("music/export/").size());
  EXPECT_EQ(description.manifest, "pre/fix/AWSDynamoDB/" + id + "/manifest-summary.json");
  const fs::path folder = mine() / "pre/fix/AWSDynamoDB" / id;
  EXPECT_THAT(texts_in(folder), ElementsAre("0=t", "1=t", "2=t"));
  EXPECT_EQ(text_of_file(folder / "_started"), "");
  for (const std::string name : {"manifest-files", "manifest-summary"}) {
    EXPECT_EQ(text_of_file(folder / (name + ".md5")),
              to_base64(md5(text_of_file(folder / (name + ".json")))));
  }
  const std::string summary_text = text_of_file(folder / "manifest-summary.json");
  const auto summary = wire::JsonDocument::parse(summary_text).value();
  EXPECT_EQ(summary.root().find("exportArn")->text(),
            "arn:aws:dynamodb:eu:000000000000:table/music/export/" + id);
  EXPECT_EQ(summary.root().find("itemCount")->integer(), 3);
  EXPECT_EQ(summary.root().find("manifestFilesS3Key")->text(),
            "pre/fix/AWSDynamoDB/" + id + "/manifest-files.json");
  EXPECT_THAT(std::string(summary.root().find("exportTime")->text()),
              testing::MatchesRegex("2023-.*[.][0-9]{3}Z"));
}

TEST_F(TableFilesTest, TheFilesManifestHasEachFile) {
  put(100);
  const ExportDescription description = done(files_->export_table(to_mine())->description.export_name);
  std::int64_t items = 0;
  std::istringstream lines(
      text_of_file(mine() / fs::path(description.manifest).parent_path() / "manifest-files.json"));
  int files = 0;
  for (std::string line; std::getline(lines, line); ++files) {
    const auto document = wire::JsonDocument::parse(line).value();
    items += document.root().find("itemCount")->integer();
    const std::string bytes =
        text_of_file(mine() / std::string(document.root().find("dataFileS3Key")->text()));
    EXPECT_EQ(document.root().find("md5Checksum")->text(), to_base64(md5(bytes)));
  }
  EXPECT_EQ(files, 4);
  EXPECT_EQ(items, 100);
}

TEST_F(TableFilesTest, APastMomentIsExportedFromATableOfItsOwn) {
  put(2, "old");
  database_.past = engine_->freeze().value();
  put(3, "new");
  ExportTableRequest request = to_mine();
  request.moment = clock_.now() - std::chrono::seconds(1);
  const ExportDescription description = done(files_->export_table(request)->description.export_name);
  EXPECT_EQ(description.status, ExportStatus::Completed) << description.failure_message;
  EXPECT_THAT(texts_in(mine() / fs::path(description.manifest).parent_path()), ElementsAre("0=old", "1=old"));
  EXPECT_THAT(engine_->list_tables({})->table_names, ElementsAre("music")) << "the scratch table is deleted";
  EXPECT_THAT(files_->list_tables({})->table_names, ElementsAre("music")) << "nobody sees that it existed";
  database_.past.reset();
}

TEST_F(TableFilesTest, TheTableOfAPastMomentIsGoneAfterARestartToo) {
  put(2, "old");
  database_.past = engine_->freeze().value();
  database_.is_restoring = true;
  ExportTableRequest request = to_mine();
  request.moment = clock_.now() - std::chrono::seconds(1);
  const std::string name = files_->export_table(request)->description.export_name;
  while (engine_->list_tables({})->table_names.size() < 2) std::this_thread::sleep_for(kMoment);
  files_.reset();
  files_ = opened();
  EXPECT_THAT(files_->list_tables({})->table_names, ElementsAre("music")) << "it is nobody's";
  // Stopped once more before it can be deleted.
  files_.reset();
  files_ = opened();
  EXPECT_EQ(engine_->list_tables({})->table_names.size(), 2U);
  database_.is_restoring = false;
  EXPECT_EQ(done(name).failure_code, "ServerStopped");
  EXPECT_THAT(engine_->list_tables({})->table_names, ElementsAre("music"));
  database_.past.reset();
}

TEST_F(TableFilesTest, NoRequestReachesTheTableOfAPastMoment) {
  ASSERT_TRUE(engine_->create_table(music("zoo")));
  const std::string scratch = restoring();
  const auto page = [&](const std::string& after) {
    return files_->list_tables({.exclusive_start_table_name = after, .limit = 1}).value();
  };
  EXPECT_EQ(page("").last_evaluated_table_name, "music");
  EXPECT_THAT(page("music").table_names, ElementsAre("zoo")) << "a page is filled";
  EXPECT_EQ(page("music").last_evaluated_table_name, "") << "no page ends at it";

  const Item key{{"id", "0"}, {"n", 0}};
  const auto missing = [](const auto& answered) {
    return !answered && (answered.error().code() == ErrorCode::ResourceNotFound ||
                         answered.error().code() == ErrorCode::TableNotFound);
  };
  EXPECT_TRUE(missing(files_->describe_table({.table_name = scratch})));
  EXPECT_TRUE(missing(files_->scan({.table_name = scratch})));
  EXPECT_TRUE(missing(files_->put_item({.table_name = scratch, .item = pack(key).value()})));
  EXPECT_TRUE(missing(files_->delete_table({.table_name = scratch})));
  EXPECT_TRUE(missing(files_->export_table({.table_name = scratch, .bucket = "mine"})));
  database_.is_restoring = false;
  files_->wait_until_idle();
  EXPECT_THAT(engine_->list_tables({})->table_names, ElementsAre("music", "zoo"));
  database_.past.reset();
}

TEST_F(TableFilesTest, ADeletionThatMayBeLostLeavesTheTableHidden) {
  const std::string scratch = restoring();
  is_disk_full_after_deletion_ = true;
  database_.is_restoring = false;
  files_->wait_until_idle();
  EXPECT_THAT(reports(), HasSubstr("the table " + scratch + " of an export remains until the next start"));
  ASSERT_TRUE(engine_->create_table(music(scratch))) << "the deletion was lost with the last writes";
  is_disk_full_after_deletion_ = false;
  files_.reset();
  files_ = opened();
  EXPECT_THAT(files_->list_tables({})->table_names, ElementsAre("music"));
  files_->wait_until_idle();
  EXPECT_THAT(engine_->list_tables({})->table_names, ElementsAre("music"));
  database_.past.reset();
}

TEST_F(TableFilesTest, MoreThanFiftyAtATimeAreRefused) {
  database_.past = engine_->freeze().value();
  database_.is_restoring = true;
  ExportTableRequest request = to_mine();
  request.moment = clock_.now() - std::chrono::seconds(1);
  for (int i = 0; i < 50; ++i) {
    request.client_token = std::to_string(i);
    ASSERT_TRUE(files_->export_table(request));
  }
  EXPECT_TRUE(files_->export_table(request)) << "the same again is no other";
  request.client_token = "50";
  EXPECT_THAT(error_of(files_->export_table(request)),
              StartsWith("LimitExceededException: Subscriber limit"));
  database_.is_restoring = false;
  files_->wait_until_idle();
  EXPECT_TRUE(files_->export_table(request));
  files_->wait_until_idle();
  database_.past.reset();
}

TEST_F(TableFilesTest, EmptyPartsOfAPrefixAreNone) {
  put(3);
  ExportTableRequest request = to_mine();
  request.prefix = "/daily//x/";
  const ExportDescription description = done(files_->export_table(request)->description.export_name);
  EXPECT_THAT(description.manifest, StartsWith("daily/x/AWSDynamoDB/"));
  EXPECT_TRUE(fs::exists(mine() / description.manifest));
  const std::string manifest =
      text_of_file(mine() / fs::path(description.manifest).parent_path() / "manifest-files.json");
  EXPECT_THAT(manifest, HasSubstr("\"dataFileS3Key\":\"daily/x/AWSDynamoDB/"));
  const fs::path data = fs::path(description.manifest).parent_path() / "data";
  ImportTableRequest import = from_mine("//" + data.string() + "//");
  import.compression = InputCompression::Gzip;
  EXPECT_EQ(imported(import).imported_items, 3);
}

TEST_F(TableFilesTest, FoldersThatContainOneAnother) {
  struct Case {
    const char* a;
    const char* b;
    bool contain;
  };
  const Case cases[] = {{"mine", "mine", true},    {".", "data", true},       {"data", "data/buckets/", true},
                        {"data/", "data/x", true}, {"data", "data-2", false}, {"a/../data", "data", true},
                        {"link", "mine", true},    {"link/x", "mine", true},  {"link", "other", false}};
  fs::create_directory_symlink(mine(), folder_.path() / "link");
  for (const Case& one : cases) {
    const fs::path a = folder_.path() / (std::string(one.a) == "mine" ? "buckets/mine" : one.a);
    const fs::path b = folder_.path() / (std::string(one.b) == "mine" ? "buckets/mine" : one.b);
    EXPECT_EQ(contain_one_another(a, b), one.contain) << one.a << " " << one.b;
    EXPECT_EQ(contain_one_another(b, a), one.contain) << one.a << " " << one.b;
  }
}

TEST_F(TableFilesTest, ExportsAreRefusedWithAwsWords) {
  ExportTableRequest request = to_mine();
  request.table_name = "nope";
  EXPECT_EQ(error_of(files_->export_table(request)), "TableNotFoundException: Table not found: nope");
  request = to_mine();
  request.moment = clock_.now() + std::chrono::hours(1);
  EXPECT_EQ(error_of(files_->export_table(request)), "InvalidExportTimeException: Export Time is invalid");
  database_.earliest = clock_.now();
  request.moment = clock_.now() - std::chrono::hours(1);
  EXPECT_EQ(error_of(files_->export_table(request)), "InvalidExportTimeException: Export Time is invalid");
  database_.is_on = false;
  EXPECT_EQ(
      error_of(files_->export_table(to_mine())),
      "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'music'");
  request = to_mine();
  request.format = ExportFormat::Ion;
  EXPECT_THAT(error_of(files_->export_table(request)), HasSubstr("DYNAMODB_JSON only"));
  request = to_mine();
  request.type = ExportType::Incremental;
  EXPECT_THAT(error_of(files_->export_table(request)), HasSubstr("full exports only"));
  EXPECT_THAT(error_of(opened(false)->export_table(to_mine())), HasSubstr("start it with --buckets DIR"));
  EXPECT_EQ(error_of(files_->describe_export({.export_name = "music/export/1"})),
            "ExportNotFoundException: Export not found: Export not found: music/export/1");
  EXPECT_TRUE(files_->list_exports({})->exports.empty());
}

TEST_F(TableFilesTest, ABucketThatIsNotThereFailsLater) {
  ExportTableRequest request = to_mine();
  request.bucket = "nowhere";
  const ExportDescription description = done(files_->export_table(request)->description.export_name);
  EXPECT_EQ(description.status, ExportStatus::Failed);
  EXPECT_EQ(description.failure_code, "S3NoSuchBucket");
  ImportTableRequest import = from_mine("");
  import.bucket = "nowhere";
  const ImportDescription failed = imported(import);
  EXPECT_EQ(failed.status, ImportStatus::Failed);
  EXPECT_EQ(failed.failure_code, "S3NoSuchBucket");
  EXPECT_THAT(error_of(files_->describe_table({.table_name = "target"})), StartsWith("ResourceNotFound"));
}

TEST_F(TableFilesTest, NothingIsWrittenOutside) {
  fs::create_directories(folder_.path() / "outside");
  fs::create_directory_symlink(folder_.path() / "outside", folder_.path() / "buckets" / "link");
  fs::create_directory_symlink(folder_.path() / "outside", mine() / "link");
  const std::string outside = "file://" + (folder_.path() / "outside").string();
  for (const std::string& bucket :
       {outside, std::string("link"), std::string("file:///"), std::string("file://relative"),
        "file://" + (folder_.path() / "buckets" / ".." / "outside").string()}) {
    ExportTableRequest request = to_mine();
    request.bucket = bucket;
    EXPECT_THAT(error_of(files_->export_table(request)), StartsWith("ValidationException")) << bucket;
    ImportTableRequest import = from_mine("");
    import.bucket = bucket;
    EXPECT_THAT(error_of(files_->import_table(import)), StartsWith("ValidationException")) << bucket;
  }
  for (const std::string prefix : {"../x", "a/../../x", "..", "."}) {
    ExportTableRequest request = to_mine();
    request.prefix = prefix;
    EXPECT_THAT(error_of(files_->export_table(request)), StartsWith("ValidationException")) << prefix;
  }
  ExportTableRequest through = to_mine();
  through.prefix = "link";
  EXPECT_EQ(done(files_->export_table(through)->description.export_name).status, ExportStatus::Failed);
  folder_.write("outside/secret.json", "{\"Item\":{\"id\":{\"S\":\"1\"},\"n\":{\"N\":\"1\"}}}");
  EXPECT_EQ(imported(from_mine("link/")).processed_items, 0) << "links are not followed";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "outside"), fs::directory_iterator()), 1);

  ExportTableRequest absolute = to_mine();
  absolute.client_token = "t2";
  absolute.prefix = "/etc";
  const ExportDescription inside = done(files_->export_table(absolute)->description.export_name);
  EXPECT_EQ(inside.status, ExportStatus::Completed);
  EXPECT_TRUE(fs::exists(mine() / "etc" / "AWSDynamoDB"));
  absolute.client_token = "t3";
  absolute.bucket = "file://" + fs::canonical(mine()).string();
  EXPECT_EQ(done(files_->export_table(absolute)->description.export_name).status, ExportStatus::Completed);
}

TEST_F(TableFilesTest, HiddenFoldersAreNotBuckets) {
  const fs::path buckets = fs::canonical(folder_.path() / "buckets");
  fs::create_directories(buckets / ".tavola-objects" / "mine");
  for (const std::string& bucket :
       {std::string(".tavola-objects"), std::string(".tavola-objects/mine"), std::string("."),
        "file://" + (buckets / ".tavola-objects" / "mine").string(), "file://" + buckets.string()}) {
    ExportTableRequest request = to_mine();
    request.bucket = bucket;
    EXPECT_THAT(error_of(files_->export_table(request)), HasSubstr("is not a bucket")) << bucket;
    ImportTableRequest import = from_mine("");
    import.bucket = bucket;
    EXPECT_THAT(error_of(files_->import_table(import)), HasSubstr("is not a bucket")) << bucket;
  }
  EXPECT_TRUE(fs::is_empty(buckets / ".tavola-objects" / "mine"));
}

TEST_F(TableFilesTest, ATokenMakesAnExportOne) {
  const auto first = files_->export_table(to_mine());
  EXPECT_EQ(files_->export_table(to_mine())->description.export_name, first->description.export_name);
  ExportTableRequest other = to_mine();
  other.prefix = "other";
  EXPECT_EQ(
      error_of(files_->export_table(other)),
      "ExportConflictException: Export conflict: Duplicate request detected with conflicting parameters");
  files_->wait_until_idle();
  clock_.add(std::chrono::hours(9));
  EXPECT_NE(files_->export_table(other)->description.export_name, first->description.export_name);
}

TEST_F(TableFilesTest, ListsHavePages) {
  std::vector<std::string> names;
  for (int i = 0; i < 5; ++i) {
    ExportTableRequest request = to_mine();
    request.client_token = std::to_string(i);
    names.insert(names.begin(), files_->export_table(request)->description.export_name);
  }
  std::vector<std::string> seen;
  ListExportsRequest request{.table_name = "music", .max_results = 2};
  do {
    const auto page = files_->list_exports(request);
    ASSERT_TRUE(page);
    for (const ExportDescription& one : page->exports) seen.push_back(one.export_name);
    request.next_token = page->next_token;
  } while (!request.next_token.empty());
  EXPECT_EQ(seen, names) << "newest first";
  EXPECT_TRUE(files_->list_exports({.table_name = "other"})->exports.empty());
  EXPECT_EQ(error_of(files_->list_imports({.next_token = "00ff"})),
            "ValidationException: Invalid Request: Provided nextToken is invalid: 00ff");
  const std::string token = files_->list_exports({.max_results = 1})->next_token;
  EXPECT_GE(token.size(), 112U);
  EXPECT_THAT(error_of(files_->list_imports({.next_token = token})), HasSubstr("nextToken is invalid"));
}

TEST_F(TableFilesTest, AnExportIsImported) {
  put(50);
  const ExportDescription exported = done(files_->export_table(to_mine())->description.export_name);
  ImportTableRequest request = from_mine((fs::path(exported.manifest).parent_path() / "data/").string());
  request.compression = InputCompression::Gzip;
  const ImportDescription description = imported(request);
  EXPECT_EQ(description.status, ImportStatus::Completed) << description.failure_message;
  EXPECT_EQ(description.imported_items, 50);
  EXPECT_EQ(description.processed_items, 50);
  EXPECT_EQ(count_of("target"), 50U);
  EXPECT_EQ(files_->describe_table({.table_name = "target"})->table.table_id, description.table_id);
  EXPECT_EQ(error_of(files_->import_table(request)), "ResourceInUseException: Table already exists: target");
  EXPECT_EQ(files_->list_imports({.table_name = "target"})->imports.size(), 1U);
  EXPECT_TRUE(files_->list_imports({.table_name = "music"})->imports.empty());
}

TEST_F(TableFilesTest, WhatIsWrongIsCountedAndTheRestImported) {
  const std::string good = "{\"Item\":{\"id\":{\"S\":\"1\"},\"n\":{\"N\":\"1\"}}}\n";
  folder_.write("buckets/mine/in/a.json", good + "\n  \n{\"Item\":{\"id\":{\"S\":\"2\"}}}\n" +
                                              "{\"Item\":{\"id\":{\"S\":\"3\"},\"n\":{\"N\":\"3\"}}}\n");
  folder_.write("buckets/mine/in/b.json", "nonsense\n" + good);
  folder_.write("buckets/mine/in/empty.json", "");
  folder_.write("buckets/mine/other.json", good);
  const ImportDescription description = imported(from_mine("in"));
  EXPECT_EQ(description.status, ImportStatus::Failed);
  EXPECT_EQ(description.failure_code, "ItemValidationError");
  EXPECT_THAT(description.failure_message, HasSubstr("The first one: in/"));
  EXPECT_EQ(description.imported_items, 2);
  EXPECT_EQ(description.error_count, 2) << "what is no item ends its file";
  EXPECT_EQ(description.processed_items, 4);
  EXPECT_EQ(count_of("target"), 2U);
}

TEST_F(TableFilesTest, ABareItemEndsItsFileAsOnAws) {
  folder_.write("buckets/mine/in.json",
                "{\"Item\":{\"id\":{\"S\":\"1\"},\"n\":{\"N\":\"1\"}}}\n"
                "{\"id\":{\"S\":\"2\"},\"n\":{\"N\":\"2\"}}\n"
                "{\"Item\":{\"id\":{\"S\":\"3\"},\"n\":{\"N\":\"3\"}}}\n");
  const ImportDescription description = imported(from_mine("in.json"));
  EXPECT_EQ(description.imported_items, 1);
  EXPECT_EQ(description.error_count, 1);
  EXPECT_THAT(description.failure_message, HasSubstr("in.json:2: the line has no member Item"));
}

TEST_F(TableFilesTest, CsvAndCompressionAreTaken) {
  folder_.write("buckets/mine/in.csv.zst", compressed("id;n;text\n1;1;a\n2;2;b\n", Compression::Zstd));
  ImportTableRequest request = from_mine("in.csv");
  request.format = InputFormat::Csv;
  request.compression = InputCompression::Zstd;
  request.csv.delimiter = ";";
  const ImportDescription description = imported(request);
  EXPECT_EQ(description.status, ImportStatus::Completed) << description.failure_message;
  EXPECT_EQ(description.processed_bytes, 22);
  EXPECT_EQ(count_of("target"), 2U);
  request.table.table_name = "target2";
  request.client_token = "i2";
  request.compression = InputCompression::Gzip;
  const ImportDescription wrong = imported(request);
  EXPECT_EQ(wrong.failure_code, "ItemValidationError");
  EXPECT_EQ(wrong.processed_items, 1);
  request.prefix = "none";
  request.table.table_name = "target3";
  request.client_token = "i3";
  EXPECT_EQ(imported(request).status, ImportStatus::Completed) << "nothing is nothing wrong";
  EXPECT_THAT(reports(), HasSubstr("there is no file in the bucket mine whose key begins with \"none\""));
  EXPECT_EQ(files_->describe_table({.table_name = "target3"})->table.status, TableStatus::Active);
}

TEST_F(TableFilesTest, ATokenMakesAnImportOne) {
  ImportTableRequest request = from_mine("none");
  request.bucket = "nowhere";
  const auto first = files_->import_table(request);
  ASSERT_TRUE(first);
  ImportTableRequest other = request;
  other.prefix = "else";
  files_->wait_until_idle();
  EXPECT_EQ(files_->import_table(other)->description.import_name, first->description.import_name)
      << "as on AWS only another table is a conflict";
  other.table.table_name = "another";
  EXPECT_EQ(
      error_of(files_->import_table(other)),
      "ImportConflictException: Import conflict: Duplicate request detected with conflicting parameters");
  ImportTableRequest wrong = from_mine("none");
  wrong.client_token = "w";
  wrong.table.table_name = "bad";
  wrong.table.key_schema.clear();
  EXPECT_THAT(error_of(files_->import_table(wrong)), StartsWith("ValidationException"));
  EXPECT_EQ(files_->list_imports({})->imports.size(), 1U) << "what was refused is not remembered";
  wrong.table = music("bad");
  wrong.format = InputFormat::Ion;
  EXPECT_THAT(error_of(files_->import_table(wrong)), HasSubstr("not ION"));
}

TEST_F(TableFilesTest, AnImportThatWasCutIsDoneAgain) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "{\"Item\":{\"id\":{\"S\":\"" + std::to_string(i) + "\"},\"n\":{\"N\":\"1\"}}}\n";
  }
  folder_.write("buckets/mine/in.json", text);
  ASSERT_EQ(imported(from_mine("in.json")).status, ImportStatus::Completed);
  // The state that a killed server leaves.
  files_.reset();
  const fs::path record = fs::directory_iterator(folder_.path() / "state" / "imports")->path();
  std::string json = text_of_file(record);
  const std::string id = record.stem().string();
  json.replace(json.find("COMPLETED"), 9, "IN_PROGRESS");
  json.erase(json.find("\"ended\":"), json.find(",", json.find("\"ended\":")) - json.find("\"ended\":") + 1);
  ASSERT_TRUE(engine_->delete_table({.table_name = "target"}));
  std::ofstream(record) << json;
  files_ = opened();
  files_->wait_until_idle();
  const auto again = files_->describe_import({.import_name = "target/import/" + id});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->description.status, ImportStatus::Completed) << again->description.failure_message;
  EXPECT_EQ(count_of("target"), 500U);

  // Without its folders the resumption fails, and the failure is reported.
  files_.reset();
  std::ofstream(record) << json;
  files_ = opened(false);
  files_->wait_until_idle();
  const auto failed = files_->describe_import({.import_name = "target/import/" + id});
  EXPECT_EQ(failed->description.status, ImportStatus::Failed);
  EXPECT_EQ(failed->description.failure_code, "ServerStopped");
}

TEST_F(TableFilesTest, ATableThatIsImportedIsNotThereYet) {
  // An import that hangs: its record exists, and no thread works on it.
  folder_.write("buckets/mine/in.json", "{\"Item\":{\"id\":{\"S\":\"1\"},\"n\":{\"N\":\"1\"}}}\n");
  database_.writes_left = 0;
  ImportTableRequest request = from_mine("in.json");
  const ImportDescription failed = imported(request);
  EXPECT_EQ(failed.failure_code, "InternalServerError");
  EXPECT_THAT(failed.failure_message, HasSubstr("the disk is on fire"));
  EXPECT_THAT(failed.failure_message, HasSubstr("has a part of the items: delete it"));
  EXPECT_EQ(files_->describe_table({.table_name = "target"})->table.status, TableStatus::Active);
  EXPECT_TRUE(files_->delete_table({.table_name = "target"}));
}

TEST_F(TableFilesTest, AnExportThatWasCutHasFailed) {
  const std::string name = files_->export_table(to_mine())->description.export_name;
  files_->wait_until_idle();
  files_.reset();
  const fs::path record = fs::directory_iterator(folder_.path() / "state" / "exports")->path();
  std::string json = text_of_file(record);
  json.replace(json.find("COMPLETED"), 9, "IN_PROGRESS");
  json.replace(json.find("\"scratch_table\":\"\""), 18, "\"scratch_table\":\"left-over\"");
  std::ofstream(record) << json;
  ASSERT_TRUE(engine_->create_table(music("left-over")));
  files_ = opened();
  EXPECT_EQ(done(name).failure_code, "ServerStopped");
  EXPECT_THAT(engine_->list_tables({})->table_names, ElementsAre("music"));
  std::ofstream(record) << "{";
  files_.reset();
  EXPECT_THAT(error_of(TableFiles::open({.database = database_, .state = folder_.path() / "state"})),
              HasSubstr("is damaged"));
}

}  // namespace
}  // namespace tavola::transfer
