// Archiving, on the inventory system: what is old leaves the table for the archive, whatever is interrupted, and comes back.
#include "transfer/archive/archive.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "base/test_scratch_directory.h"
#include "base/timestamps.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "runner/test_meddled_database.h"
#include "transfer/archive/old_items.h"
#include "transfer/archive/test_destinations.h"

namespace tavola::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FixedClock final : public Clock {
 public:
  WallTime now() const override { return moment; }
  WallTime moment = *parse_iso8601("2024-06-01T00:00:00Z");
};

design::Design load_design(const std::string& text, const std::string& name = "test.yaml") {
  design::Loaded loaded = design::load(text, name);
  for (const design::Diagnostic& diagnostic : loaded.diagnostics) {
    EXPECT_NE(diagnostic.severity, design::Severity::Error) << design::to_text(diagnostic, text);
  }
  return *std::move(loaded.design);
}

const design::Design& inventory() {
  static const design::Design design =
      load_design(text_of_file(std::string(TAVOLA_SOURCE_DIR) + "/designs/InventorySystem.yaml"));
  return design;
}

// An ungoverned table of the design in memory: the tests write any items.
struct Shop {
  explicit Shop(const design::Design& of = inventory()) : design(of) {
    EXPECT_TRUE(database->create_table(design::table_schema(design)));
  }

  void put(std::string_view entity, const Item& fields) {
    const design::Entity& kind = *design.find_entity(entity);
    const Result<Item> whole =
        design::complete(kind, fields, design::Occasion::Creation, {clock.now(), &Random::system()});
    ASSERT_TRUE(whole) << whole.error().message();
    const Result<Item> item = design::to_item(design, kind, *whole);
    ASSERT_TRUE(item) << item.error().message();
    ASSERT_TRUE(database->put_item({.table_name = design.table.name, .item = *pack(*item)}));
  }
  void put_transaction(int number, const std::string& timestamp) {
    put("Transaction", {{"transactionId", "t" + std::to_string(number)},
                        {"productId", "p" + std::to_string(number % 3)},
                        {"shopId", "s1"},
                        {"quantityChange", number + 1},
                        {"type", "IN"},
                        {"timestamp", timestamp}});
  }
  // Nine old transactions and two new ones, an old notice, and an old sale, which is kept forever.
  void fill() {
    for (int i = 1; i <= 9; ++i) put_transaction(i, "2024-01-0" + std::to_string(i) + "T00:00:00Z");
    put_transaction(10, "2024-05-30T00:00:00Z");
    put_transaction(11, "2024-03-03T00:00:00Z");  // ninety days ago to the second: not older
    put("Sale", {{"saleId", "x"},
                 {"shopId", "s1"},
                 {"productId", "p1"},
                 {"quantity", 1},
                 {"unitPrice", 2},
                 {"timestamp", "2020-01-01T00:00:00Z"}});
    put("Notification", {{"notificationId", "n"},
                         {"shopId", "s1"},
                         {"productId", "p1"},
                         {"currentStock", 1},
                         {"reorderThreshold", 2},
                         {"timestamp", "2024-01-01T00:00:00Z"}});
  }

  std::vector<std::string> stored() const {
    std::vector<std::string> items;
    const Result<ScanResponse> page = database->scan({.table_name = design.table.name});
    EXPECT_TRUE(page);
    for (const PackedItem& item : page->items) items.push_back(item.bytes());
    std::ranges::sort(items);
    return items;
  }

  ArchiveParts parts(Destination& destination, Database* other = nullptr) {
    return {.database = other == nullptr ? *database : *other,
            .design = design,
            .destination = destination,
            .clock = clock,
            .batch_items = 4};
  }

  const design::Design& design;
  FixedClock clock;
  std::unique_ptr<Database> database = open_in_memory();
};

// Returns every item that could be restored, once for each occurrence.
std::vector<std::string> archived(Destination& destination) {
  std::vector<std::string> items;
  const Result<std::vector<ListedBatch>> batches = list_archive(destination, {});
  EXPECT_TRUE(batches) << batches.error().message();
  for (const ListedBatch& batch : *batches) {
    const auto read = read_batch(destination, batch.name, batch.manifest);
    EXPECT_TRUE(read) << read.error().message();
    for (const PackedItem& item : *read) items.push_back(item.bytes());
  }
  std::ranges::sort(items);
  return items;
}

std::vector<std::string> both(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::sort(all);
  return all;
}

TEST(ArchiveTest, WhatIsOldIsArchivedAndRemoved) {
  Shop shop;
  shop.fill();
  const std::vector<std::string> before = shop.stored();
  InMemory memory;
  const Result<Archived> done = run_archive(shop.parts(memory));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->batches, 4);  // 4 + 4 + 1 transactions, 1 notice
  EXPECT_EQ(done->items, 10);
  EXPECT_EQ(done->removal.removed, 10);
  EXPECT_THAT(shop.stored(), SizeIs(3));
  EXPECT_EQ(both(shop.stored(), archived(memory)), before);
  const Result<Verified> verified = verify_archive(memory, {});
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->items, 10);
  EXPECT_THAT(verified->problems, IsEmpty());
  EXPECT_THAT(verified->unfinished, IsEmpty());

  const std::map<std::string, std::string> objects = memory.objects;
  const Result<Archived> again = run_archive(shop.parts(memory));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->items, 0);
  EXPECT_EQ(again->finished, 0);
  EXPECT_EQ(memory.objects, objects);
}

TEST(ArchiveTest, AManifestTellsWhatABatchHolds) {
  Shop shop;
  shop.fill();
  InMemory memory;
  ArchiveParts parts = shop.parts(memory);
  parts.batch_items = 100;
  ASSERT_TRUE(run_archive(parts));
  const Result<std::vector<ListedBatch>> batches = list_archive(memory, {.entity = "Transaction"});
  ASSERT_TRUE(batches);
  ASSERT_THAT(*batches, SizeIs(1));
  const Manifest& manifest = batches->front().manifest;
  EXPECT_TRUE(batches->front().is_removed);
  EXPECT_THAT(batches->front().name, HasSubstr("InventorySystem/Transaction/20240101T000000Z-"));
  EXPECT_EQ(manifest.design, "InventorySystem");
  EXPECT_EQ(manifest.by, "timestamp");
  EXPECT_EQ(manifest.count, 9);
  EXPECT_EQ(manifest.oldest, parse_iso8601("2024-01-01T00:00:00Z"));
  EXPECT_EQ(manifest.newest, parse_iso8601("2024-01-09T00:00:00Z"));
  EXPECT_EQ(manifest.first_key, R"({"PK":{"S":"PRODUCT#p1"},"SK":{"S":"TX#2024-01-01T00:00:00Z#t1"}})");
  EXPECT_EQ(manifest.last_key, R"({"PK":{"S":"PRODUCT#p0"},"SK":{"S":"TX#2024-01-09T00:00:00Z#t9"}})");
  EXPECT_EQ(manifest.archived_at, shop.clock.now());
  const Result<Manifest> read = read_manifest(to_json(manifest));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, manifest);
  EXPECT_THAT(*list_archive(memory, {.from = parse_iso8601("2024-02-01T00:00:00Z")}), IsEmpty());
}

// Interrupts a run before its step number `at`, counted over the destination and the database together.
struct Interrupted {
  Result<void> operator()() {
    if (++*step != at) return {};
    return fail(Error(ErrorCode::Io, "the power went out"));
  }
  int at;
  std::shared_ptr<int> step = std::make_shared<int>(0);
};

class InterruptedTest : public testing::TestWithParam<Failure> {};

TEST_P(InterruptedTest, NothingIsLostOrTwiceWhereverARunEnds) {
  bool was_interrupted = true;
  int at = 0;
  while (was_interrupted) {
    SCOPED_TRACE("ended at step " + std::to_string(++at));
    Shop shop;
    shop.fill();
    const std::vector<std::string> before = shop.stored();
    InMemory memory;
    Interrupted interrupted{.at = at};
    Failing failing(memory, GetParam(), interrupted);
    runner::MeddledDatabase database(*shop.database,
                                     [&](std::string_view) -> Result<void> { return interrupted(); });
    was_interrupted = !run_archive(shop.parts(failing, &database));
    // In between: everything is in the table, or in the archive, or in both.
    if (GetParam() != Failure::Halfway) {  // then a manifest may be torn, which list() refuses to read
      std::vector<std::string> all = both(shop.stored(), archived(memory));
      all.erase(std::ranges::unique(all).begin(), all.end());
      EXPECT_EQ(all, before);
    }
    // The next run is later, and more items are old by then.
    shop.clock.moment += std::chrono::hours(2);
    const Result<Archived> done = run_archive(shop.parts(memory));
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_THAT(shop.stored(), SizeIs(2));
    const std::vector<std::string> kept = archived(memory);
    EXPECT_EQ(both(shop.stored(), kept), before);
    const Result<Verified> verified = verify_archive(memory, {});
    ASSERT_TRUE(verified);
    EXPECT_THAT(verified->problems, IsEmpty());
  }
  EXPECT_GT(at, 40);
}

INSTANTIATE_TEST_SUITE_P(Failures, InterruptedTest,
                         testing::Values(Failure::Before, Failure::Halfway, Failure::After));

TEST(ArchiveTest, ADestinationThatGivesBackOtherBytesRemovesNothing) {
  class Forgetful final : public Destination {
   public:
    explicit Forgetful(std::string_view ending) : ending_(ending) {}
    Result<void> write(const std::string& name, std::string_view bytes) override {
      return memory.write(name, name.ends_with(ending_) ? bytes.substr(1) : bytes);
    }
    Result<std::optional<std::string>> read(const std::string& name) override { return memory.read(name); }
    Result<std::vector<std::string>> list(const std::string& folder) override { return memory.list(folder); }
    std::string described() const override { return "memory"; }
    InMemory memory;

   private:
    std::string ending_;
  };
  for (const std::string_view ending : {kDataEnding, kManifestEnding}) {
    Shop shop;
    shop.fill();
    const std::vector<std::string> before = shop.stored();
    Forgetful forgetful(ending);
    const Result<Archived> done = run_archive(shop.parts(forgetful));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), ErrorCode::Corrupt);
    EXPECT_THAT(done.error().message(), HasSubstr("none of its items were removed"));
    EXPECT_EQ(shop.stored(), before);
  }
}

TEST(ArchiveTest, WhatChangesMeanwhileStays) {
  // A client writes before the item is read again, or between that and its removal; a field of the design, or an
  // unknown attribute.
  for (const std::string_view when : {"GetItem", "DeleteItem"}) {
    for (const std::string_view attribute : {"notes", "unheard"}) {
      SCOPED_TRACE(std::string(when) + " " + std::string(attribute));
      Shop shop;
      shop.put_transaction(1, "2024-01-01T00:00:00Z");
      const auto touch = [&](std::string_view operation) -> Result<void> {
        if (operation != when) return {};
        UpdateItemRequest update{.table_name = shop.design.table.name};
        update.key = *pack({{"PK", "PRODUCT#p1"}, {"SK", "TX#2024-01-01T00:00:00Z#t1"}});
        update.update_expression = "SET #a = :v";
        update.names = {{"#a", std::string(attribute)}};
        update.values = *pack({{":v", "new"}});
        TAVOLA_CHECK(shop.database->update_item(update));
        return {};
      };
      runner::MeddledDatabase meddled(*shop.database, touch);
      InMemory memory;
      const Result<Archived> done = run_archive(shop.parts(memory, &meddled));
      ASSERT_TRUE(done) << done.error().message();
      EXPECT_EQ(done->removal.kept, 1);
      EXPECT_THAT(shop.stored(), ElementsAre(HasSubstr("new")));
      ASSERT_TRUE(run_archive(shop.parts(memory)));
      EXPECT_THAT(shop.stored(), IsEmpty());
      EXPECT_THAT(archived(memory), SizeIs(2));
    }
  }
}

TEST(ArchiveTest, WhatWasArchivedComesBack) {
  Shop shop;
  shop.fill();
  const std::vector<std::string> before = shop.stored();
  InMemory memory;
  ASSERT_TRUE(run_archive(shop.parts(memory)));
  const Result<Restored> some =
      restore_archive(shop.parts(memory), {.table = "InventorySystem",
                                           .entity = "Transaction",
                                           .from = parse_iso8601("2024-01-03T00:00:00Z"),
                                           .through = parse_iso8601("2024-01-04T00:00:00Z")});
  ASSERT_TRUE(some) << some.error().message();
  EXPECT_EQ(some->restored, 2);
  shop.put_transaction(9, "2024-01-09T00:00:00Z");  // once more
  UpdateItemRequest changed{.table_name = "InventorySystem"};
  changed.key = *pack({{"PK", "PRODUCT#p1"}, {"SK", "TX#2024-01-01T00:00:00Z#t1"}});
  changed.update_expression = "SET notes = :v";
  changed.values = *pack({{":v", "new"}});
  ASSERT_TRUE(shop.database->update_item(changed));
  const Result<Restored> all = restore_archive(shop.parts(memory), {.table = "InventorySystem"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->restored, 6);
  EXPECT_EQ(all->present, 3);
  EXPECT_THAT(all->different, ElementsAre(HasSubstr("2024-01-01T00:00:00Z#t1")));
  ASSERT_TRUE(shop.database->delete_item({.table_name = "InventorySystem", .key = changed.key}));
  ASSERT_TRUE(restore_archive(shop.parts(memory), {.table = "InventorySystem"}));
  EXPECT_EQ(shop.stored(), before);
  EXPECT_THAT(*list_archive(memory, {.table = "Other"}), IsEmpty());

  // A restored item is still old: it is archived again, beside the first time.
  ASSERT_TRUE(run_archive(shop.parts(memory)));
  EXPECT_THAT(shop.stored(), SizeIs(3));
  EXPECT_THAT(archived(memory), SizeIs(20));
}

TEST(ArchiveTest, DamageIsToldAndNothingOfItIsRestored) {
  Shop shop;
  shop.fill();
  InMemory memory;
  ASSERT_TRUE(run_archive(shop.parts(memory)));
  const auto data = std::ranges::find_if(
      memory.objects, [](const auto& object) { return object.first.ends_with(kDataEnding); });
  ASSERT_NE(data, memory.objects.end());
  data->second[data->second.size() / 2] ^= 1;
  const Result<Verified> verified = verify_archive(memory, {});
  ASSERT_TRUE(verified);
  EXPECT_THAT(verified->problems, ElementsAre(HasSubstr(data->first + " in memory is damaged")));
  const std::vector<std::string> before = shop.stored();
  const Result<Restored> restored = restore_archive(shop.parts(memory), {.entity = "Notification"});
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(shop.stored(), before);
}

TEST(ArchiveTest, AQueryServesWhereOnePartitionHasAllInOrder) {
  const design::Design log = load_design(R"(
design: 1
name: log
table: { name: log, hash: PK, range: SK }
indexes:
  byKind: { hash: kind, range: kindAt, project: all }
entities:
  Line:
    key: { PK: LINES, SK: AT#<at>#<id> }
    attributes: { at: { type: timestamp, required: true }, id: { required: true } }
  Note:
    key: { PK: NOTE#<id>, SK: NOTE }
    index: { byKind: { hash: NOTES, range: <at> } }
    attributes: { at: { type: timestamp, required: true }, id: { required: true } }
  Draft:
    key: { PK: DRAFT#<id>, SK: DRAFT }
    index: { byKind: { hash: DRAFTS, range: <at> } }
    attributes: { at: timestamp, id: { required: true } }
patterns:
  notes: { query: Note, via: byKind, hash: NOTES }
operations: {}
retention:
  Line: { archive: folder, after: 1d, by: at }
  Note: { archive: folder, after: 1d, by: at }
  Draft: { archive: folder, after: 1d, by: at }
)");
  Shop shop(log);
  for (const std::string_view entity : {"Line", "Note", "Draft"}) {
    for (const std::string at : {"2024-05-01T00:00:00Z", "2024-05-30T23:59:59Z", "2024-05-31T00:00:00Z"})
      shop.put(entity, {{"at", at}, {"id", at}});
    shop.put("Draft", {{"id", "never"}});
  }
  const auto route = [&](std::string_view entity) {
    return OldItems(*shop.database, log, *log.find_retention(entity), shop.clock.now()).queried();
  };
  EXPECT_EQ(route("Line"), "");
  EXPECT_EQ(route("Note"), "byKind");
  EXPECT_EQ(route("Draft"), std::nullopt);  // an item without a time is not in the index
  InMemory memory;
  const Result<Archived> done = run_archive(shop.parts(memory));
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->removal.removed, 6);
  EXPECT_THAT(shop.stored(), SizeIs(4));
}

TEST(FolderTest, ObjectsAreFiles) {
  const ScratchDirectory scratch;
  const auto folder = open_folder((scratch / "a/b").string());
  EXPECT_THAT(*folder->list(""), IsEmpty());
  EXPECT_EQ(*folder->read("t/E/x"), std::nullopt);
  ASSERT_TRUE(folder->write("t/E/x", "one"));
  ASSERT_TRUE(folder->write("t/E/x", "two"));
  ASSERT_TRUE(folder->write("t/F/y", ""));
  ASSERT_TRUE(folder->write("u/F/y", ""));
  EXPECT_EQ(*folder->read("t/E/x"), "two");
  EXPECT_THAT(*folder->list(""), ElementsAre("t/E/x", "t/F/y", "u/F/y"));
  EXPECT_THAT(*folder->list("t/"), ElementsAre("t/E/x", "t/F/y"));
  const auto blocked = open_folder((scratch / "a/b/t/E/x").string());
  EXPECT_FALSE(blocked->write("z", ""));
}

TEST(DestinationTest, APlaceThatIsNoneIsRefused) {
  for (const Where& where : {Where{.to = ""}, Where{.to = "http://x"}, Where{.to = "s3://"},
                             Where{.to = "s3://b?x/y"}, Where{.to = "folder", .s3_endpoint = "http://x"},
                             Where{.to = "s3://bucket", .s3_endpoint = "localhost"}}) {
    const auto opened = open_destination(where);
    ASSERT_FALSE(opened) << where.to;
    EXPECT_EQ(opened.error().code(), ErrorCode::Validation);
  }
  EXPECT_EQ((*open_destination({.to = "s3://bucket/a/b"}))->described(), "s3://bucket/a/b/");
}

// Amazon's own server is asked with the credentials of the machine, wherever AWS's tools find them.
TEST(DestinationTest, ABucketOfAmazonNeedsCredentials) {
  const ScratchDirectory scratch;
  setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/archive", 1);
  setenv("AWS_WEB_IDENTITY_TOKEN_FILE", (scratch / "missing").c_str(), 1);
  const auto read = (*open_destination({.to = "s3://bucket"}))->read("x");
  unsetenv("AWS_ROLE_ARN");
  unsetenv("AWS_WEB_IDENTITY_TOKEN_FILE");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("no credentials: the role arn:aws:iam::1:role/archive"));
}

TEST(ManifestTest, OneOfANewerTavolaIsNotGuessedAt) {
  EXPECT_EQ(read_manifest(R"({"format":2})").error().code(), ErrorCode::NewerFormat);
  EXPECT_EQ(read_manifest(R"({"format":1})").error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(read_manifest("[]").error().code(), ErrorCode::Corrupt);
  EXPECT_EQ(read_manifest("").error().code(), ErrorCode::Corrupt);
}

}  // namespace
}  // namespace tavola::transfer
