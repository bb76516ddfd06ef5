// Backups, and tables restored from them, on both stores.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "engine/backups/restore_job.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_restores.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Backups : public testing::TestWithParam<StoreKind> {
 protected:
  Backups() : db_(GetParam(), clock_) {}

  void create(const CreateTableRequest& request) {
    const auto created = db_->create_table(request);
    ASSERT_TRUE(created) << text_of(created.error());
  }
  void fill(const std::string& table, int items) {
    for (int i = 0; i < items; ++i) {
      const auto put = db_->put_item(
          {.table_name = table,
           .item = *pack({{"pk", "p" + std::to_string(i % 7)}, {"sk", i}, {"x", std::string(200, 'x')}})});
      ASSERT_TRUE(put) << text_of(put.error());
    }
  }
  std::string back_up(const std::string& table = "Music", const std::string& name = "daily") {
    const auto made = db_->create_backup({.table_name = table, .backup_name = name});
    EXPECT_TRUE(made) << text_of(made.error());
    return made ? made->backup.backup : "";
  }
  std::string restore(const std::string& backup, const std::string& table,
                      const RestoreOverrides& overrides = {}) {
    const auto begun = db_->restore_table_from_backup(
        {.backup = backup, .target_table_name = table, .overrides = overrides});
    return begun ? "begun" : text_of(begun.error());
  }
  TableDescription described(const std::string& table) {
    const auto found = db_->describe_table({table});
    EXPECT_TRUE(found) << text_of(found.error());
    return found ? found->table : TableDescription();
  }
  std::vector<std::string> listed(const ListBackupsRequest& request) {
    std::vector<std::string> names;
    const auto page = db_->list_backups(request);
    EXPECT_TRUE(page) << text_of(page.error());
    if (!page) return names;
    for (const BackupDescription& backup : page->backups) names.push_back(backup.name);
    return names;
  }
  fs::path folder() { return db_.store().directory() / "backups"; }
  static std::string id_of(const std::string& backup) { return backup.substr(backup.rfind('/') + 1); }

  TestClock clock_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Backups, testing::ValuesIn(kStoresWithBackups),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(Backups, ATableIsWhatItWasWhateverBecameOfIt) {
  create(good_table());
  fill("Music", 30);
  const auto before = contents(db_, "Music");
  const std::string backup = back_up();
  ASSERT_TRUE(db_->put_item(put("Music", R"({pk: "p1", sk: 1, x: "other"})")));
  ASSERT_TRUE(db_->delete_item(remove("Music", R"({pk: "p2", sk: 2})")));
  ASSERT_TRUE(db_->delete_table({"Music"}));
  create(simple_table("Music"));
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(described("Restored").status, TableStatus::Active);
  EXPECT_EQ(described("Restored").restored_from, std::nullopt);
  EXPECT_EQ(contents(db_, "Restored"), before);
  db_.expect_consistent("Restored");
  ASSERT_TRUE(db_->put_item(put("Restored", R"({pk: "p1", sk: 1000, a: b"1"})")));
  db_.expect_consistent("Restored");
}

TEST_P(Backups, ABackupSaysWhatIsInIt) {
  create(provisioned_table("Music"));
  fill("Music", 5);
  const auto made = db_->create_backup({.table_name = "Music", .backup_name = "daily"});
  ASSERT_TRUE(made) << text_of(made.error());
  EXPECT_EQ(made->backup.status, BackupStatus::Creating);
  EXPECT_TRUE(made->backup.backup.starts_with("Music/backup/01800000000000-")) << made->backup.backup;
  const auto found = db_->describe_backup({made->backup.backup});
  ASSERT_TRUE(found) << text_of(found.error());
  const BackupDescription& backup = found->backup;
  EXPECT_EQ(backup.name, "daily");
  EXPECT_EQ(backup.status, BackupStatus::Available);
  EXPECT_EQ(backup.type, BackupType::User);
  EXPECT_EQ(backup.created_at, clock_.now());
  EXPECT_EQ(backup.expires_at, std::nullopt);
  EXPECT_EQ(backup.size_bytes, described("Music").size_bytes);
  EXPECT_EQ(backup.table.item_count, 5);
  EXPECT_EQ(backup.table.table_id, described("Music").table_id);
  ASSERT_THAT(backup.table.global_indexes, SizeIs(1));
  EXPECT_EQ(backup.table.global_indexes[0].throughput, (Throughput{7, 8}));
}

TEST_P(Backups, WhatAClientMayDoWhileATableIsRestored) {
  create(good_table());
  const std::string backup = back_up();
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  const TableDescription table = described("Restored");
  EXPECT_EQ(table.status, TableStatus::Creating);
  ASSERT_TRUE(table.restored_from);
  EXPECT_EQ(*table.restored_from, (RestoredFrom{backup, "Music", clock_.now()}));
  const std::string missing =
      "ResourceNotFoundException: Requested resource not found: Table: Restored not found";
  EXPECT_EQ(text_of(db_->put_item(put("Restored", R"({pk: "p", sk: 1})")).error()),
            "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(text_of(db_->update_table({.table_name = "Restored", .deletion_protection = true}).error()),
            missing);
  EXPECT_EQ(text_of(db_->tag_resource({"Restored", {{"a", "b"}}}).error()), missing);
  EXPECT_EQ(text_of(db_->list_tags_of_resource({"Restored"}).error()), missing);
  EXPECT_EQ(text_of(db_->describe_time_to_live({"Restored"}).error()), missing);
  EXPECT_EQ(text_of(db_->delete_table({"Restored"}).error()),
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is being "
            "created: Restored");
  EXPECT_EQ(text_of(db_->create_backup({"Restored", "daily"}).error()),
            "TableNotFoundException: Table not found: Restored");
  EXPECT_EQ(text_of(db_->describe_continuous_backups({"Restored"}).error()),
            "TableNotFoundException: Table not found: Restored");
  EXPECT_EQ(restore(backup, "Another"),
            "BackupInUseException: Backup is being used to restore another table: " + backup);
  EXPECT_EQ(restore(backup, "Restored"),
            "TableInUseException: Table: Restored is already being restored from backup: " + backup);
  EXPECT_EQ(text_of(db_->delete_backup({backup}).error()),
            "BackupInUseException: Backup is being used to restore table: " + backup);
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(restore(backup, "Another"), "begun");
  ASSERT_TRUE(db_->sweep());
  EXPECT_TRUE(db_->delete_backup({backup}));
  EXPECT_TRUE(db_->delete_table({"Restored"}));
}

TEST_P(Backups, WhatIsRefused) {
  create(good_table());
  const std::string backup = back_up();
  EXPECT_EQ(restore(backup, "Music"), "TableAlreadyExistsException: Table already exists: Music");
  EXPECT_EQ(restore("Music/backup/01800000000000-00000000", "New"),
            "BackupNotFoundException: Backup not found: Music/backup/01800000000000-00000000");
  EXPECT_EQ(restore("Other/backup/" + id_of(backup), "New"),
            "BackupNotFoundException: Backup not found: Other/backup/" + id_of(backup));
  EXPECT_EQ(restore("Music", "New"), "ValidationException: Invalid Backup ARN");
  EXPECT_EQ(text_of(db_->create_backup({"Nothing", "daily"}).error()),
            "TableNotFoundException: Table not found: Nothing");
  EXPECT_THAT(text_of(db_->create_backup({"Music", "x"}).error()),
              HasSubstr("Value 'x' at 'backupName' failed to satisfy constraint"));
  EXPECT_THAT(text_of(db_->create_backup({"Music", "a b c"}).error()),
              HasSubstr("Value 'a b c' at 'backupName' failed to satisfy constraint"));
  EXPECT_THAT(text_of(db_->list_backups({.limit = 101}).error()),
              HasSubstr("Value '101' at 'limit' failed to satisfy constraint"));
  EXPECT_EQ(
      text_of(db_->list_backups({.from = clock_.now(), .to = clock_.now() - std::chrono::hours(1)}).error()),
      "ValidationException: One or more parameter values were invalid: Time range lower bound must be "
      "less than or equal to upper bound");
}

TEST_P(Backups, AreListedByTableTimeAndPage) {
  create(simple_table("Music"));
  create(simple_table("Films"));
  const WallTime start = clock_.now();
  for (const auto& [table, name] : {std::pair("Music", "one"), std::pair("Films", "two"),
                                    std::pair("Music", "three"), std::pair("Music", "four")}) {
    back_up(table, name);
    clock_.advance(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(listed({}), ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(listed({.table_name = "Music"}), ElementsAre("one", "three", "four"));
  EXPECT_THAT(listed({.table_name = "Nothing"}), IsEmpty());
  EXPECT_THAT(listed({.type = BackupTypeFilter::System}), IsEmpty());
  EXPECT_THAT(
      listed({.from = start + std::chrono::milliseconds(10), .to = start + std::chrono::milliseconds(30)}),
      ElementsAre("two", "three"));
  const auto page = db_->list_backups({.table_name = "Music", .limit = 2});
  ASSERT_TRUE(page);
  EXPECT_THAT(page->backups, SizeIs(2));
  EXPECT_EQ(page->last_evaluated_backup, page->backups[1].backup);
  ASSERT_TRUE(db_->delete_backup({page->last_evaluated_backup}));
  EXPECT_THAT(listed({.table_name = "Music", .exclusive_start_backup = page->last_evaluated_backup}),
              ElementsAre("four"));
  EXPECT_EQ(db_->list_backups({.table_name = "Music", .limit = 2})->last_evaluated_backup, "");
}

TEST_P(Backups, OneThatIsDeletedIsGone) {
  create(good_table());
  const std::string backup = back_up();
  const auto deleted = db_->delete_backup({backup});
  ASSERT_TRUE(deleted) << text_of(deleted.error());
  EXPECT_EQ(deleted->backup.status, BackupStatus::Deleted);
  const std::string gone = "BackupNotFoundException: Backup not found: " + backup;
  EXPECT_EQ(text_of(db_->delete_backup({backup}).error()), gone);
  EXPECT_EQ(text_of(db_->describe_backup({backup}).error()), gone);
  EXPECT_EQ(restore(backup, "New"), gone);
  if (GetParam() == StoreKind::Rocks) {
    EXPECT_TRUE(fs::is_empty(folder()));
  }
}

TEST_P(Backups, WhatARestoredTableHasOfItsSource) {
  CreateTableRequest request = provisioned_table("Music");
  request.stream = StreamView::NewImage;
  request.deletion_protection = true;
  request.table_class = TableClass::StandardInfrequentAccess;
  request.tags = {{"team", "a"}};
  create(request);
  ASSERT_TRUE(db_->update_time_to_live({"Music", "ttl", true}));
  ASSERT_TRUE(db_->update_continuous_backups({.table_name = "Music", .enabled = true}));
  fill("Music", 3);
  const std::string backup = back_up();
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  ASSERT_TRUE(db_->sweep());
  const TableDescription table = described("Restored");
  EXPECT_EQ(table.throughput, (Throughput{5, 6}));
  EXPECT_EQ(table.global_indexes, described("Music").global_indexes);
  EXPECT_EQ(table.local_indexes, described("Music").local_indexes);
  EXPECT_EQ(table.stream, std::nullopt);
  EXPECT_EQ(table.stream_since, std::nullopt);
  EXPECT_EQ(table.time_to_live_attribute, std::nullopt);
  EXPECT_EQ(table.recovery, std::nullopt);
  EXPECT_EQ(table.table_class, TableClass::Standard);
  EXPECT_FALSE(table.deletion_protection);
  EXPECT_NE(table.table_id, described("Music").table_id);
  EXPECT_THAT(db_->list_tags_of_resource({"Restored"})->tags, IsEmpty());
}

TEST_P(Backups, OverridesReplaceWhatTheSourceHad) {
  create(provisioned_table("Music"));
  ASSERT_TRUE(db_->put_item(put("Music", R"({pk: "p", sk: 1, a: b"1", x: "x"})")));
  const std::string backup = back_up();
  const auto source = described("Music");
  struct Case {
    std::string name;
    RestoreOverrides overrides;
    std::string reported;
  };
  GlobalIndex renamed = source.global_indexes[0];
  renamed.name = "renamed";
  renamed.warm_throughput.reset();
  GlobalIndex free_of_charge = source.global_indexes[0];
  free_of_charge.throughput.reset();
  GlobalIndex other = source.global_indexes[0];
  other.projection = {ProjectionType::All, {}};
  const std::string refused = "ValidationException: Invalid Request: ";
  const Case cases[] = {
      {"none",
       {.global_indexes = std::vector<GlobalIndex>(), .local_indexes = std::vector<LocalIndex>()},
       "begun"},
      {"renamed", {.global_indexes = std::vector{renamed}}, "begun"},
      {"on-demand", {.billing_mode = BillingMode::PayPerRequest}, "begun"},
      {"faster", {.throughput = Throughput{50, 60}}, "begun"},
      {"r1",
       {.global_indexes = std::vector{other}},
       refused + "Index byA does not match a secondary index that existed in the source table and cannot be "
                 "created during the restore operation"},
      {"r2",
       {.global_indexes = std::vector{free_of_charge}},
       refused + "Must specify provisioned throughput for index byA"},
      {"r3",
       {.billing_mode = BillingMode::PayPerRequest, .global_indexes = std::vector{renamed}},
       refused + "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for "
                 "index renamed"},
      {"r4",
       {.billing_mode = BillingMode::PayPerRequest, .throughput = Throughput{1, 1}},
       refused + "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"},
      {"r5",
       {.billing_mode = BillingMode::Provisioned},
       refused + "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"},
      {"r6",
       {.on_demand_limits = OnDemandLimits{1, 1}},
       refused + "Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is "
                 "PAY_PER_REQUEST"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(restore(backup, "T." + one.name, one.overrides), one.reported) << one.name;
    ASSERT_TRUE(db_->sweep());
    if (one.reported == "begun") db_.expect_consistent("T." + one.name);
  }
  EXPECT_THAT(described("T.none").global_indexes, IsEmpty());
  EXPECT_THAT(described("T.none").local_indexes, IsEmpty());
  EXPECT_EQ(described("T.none").attribute_definitions.size(), 2U);
  ASSERT_THAT(described("T.renamed").global_indexes, SizeIs(1));
  EXPECT_EQ(described("T.renamed").global_indexes[0].name, "renamed");
  EXPECT_EQ(described("T.on-demand").billing_mode, BillingMode::PayPerRequest);
  EXPECT_EQ(described("T.on-demand").throughput, std::nullopt);
  EXPECT_EQ(described("T.on-demand").global_indexes[0].throughput, std::nullopt);
  EXPECT_EQ(described("T.faster").throughput, (Throughput{50, 60}));
  EXPECT_EQ(described("T.faster").global_indexes[0].throughput, (Throughput{7, 8}));
}

// ---- After a restart ----

class BackupsOnDisk : public Backups {
 protected:
  // Runs this many portions of a restore.
  void restore_portions(const std::string& table, int count) {
    const SchemaPtr schema = *Catalog(db_.store()).find(table);
    Catalog catalog(db_.store());
    CheckpointShelf shelf(db_.store());
    int portions = 0;
    const auto done = restore_for_a_while({db_.store(), catalog, shelf}, job_key(schema->id, kRestoreJob),
                                          [&] { return portions++ == count; });
    ASSERT_TRUE(done) << text_of(done.error());
    EXPECT_FALSE(*done);
  }
};

INSTANTIATE_TEST_SUITE_P(Engine, BackupsOnDisk, testing::Values(StoreKind::Rocks),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(BackupsOnDisk, ARestoreGoesOnWhereItWas) {
  create(good_table());
  fill("Music", 5000);
  const auto before = contents(db_, "Music");
  const std::string backup = back_up();
  ASSERT_TRUE(db_->delete_table({"Music"}));
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  restore_portions("Restored", 1);
  db_.reopen();
  EXPECT_EQ(described("Restored").item_count, 2000);
  EXPECT_EQ(described("Restored").status, TableStatus::Creating);
  restore_portions("Restored", 1);
  db_.reopen();
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(described("Restored").status, TableStatus::Active);
  EXPECT_EQ(contents(db_, "Restored"), before);
  db_.expect_consistent("Restored");
  EXPECT_TRUE(db_->delete_backup({backup}));
}

TEST_P(BackupsOnDisk, WhatACrashLeftBehindIsSweptAndNothingElse) {
  create(good_table());
  fill("Music", 10);
  const std::string backup = back_up();
  const fs::path no_record = folder() / "01800000000000-0123abcd";
  const fs::path half = folder() / (id_of(backup) + ".tavola-checkpoint");
  const fs::path not_ours = folder() / "notes";
  const fs::path copied = folder() / (id_of(backup) + ".old");
  const fs::path of_a_newer_store = folder() / "01800000000000-0123abce";
  for (const fs::path& path : {no_record, half, not_ours, copied, of_a_newer_store}) {
    fs::create_directory(path);
    std::ofstream(path / "file") << "x";
  }
  std::ofstream(no_record.string() + ".unrecorded") << "x";
  std::ofstream(folder() / (id_of(backup) + ".unrecorded")) << "x";  // it has a record
  db_.reopen();
  EXPECT_FALSE(fs::exists(no_record));
  EXPECT_FALSE(fs::exists(no_record.string() + ".unrecorded"));
  EXPECT_FALSE(fs::exists(half));
  EXPECT_FALSE(fs::exists(folder() / (id_of(backup) + ".unrecorded")));
  EXPECT_TRUE(fs::exists(not_ours / "file"));
  EXPECT_TRUE(fs::exists(copied / "file"));
  EXPECT_TRUE(fs::exists(of_a_newer_store / "file"));
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(contents(db_, "Restored"), contents(db_, "Music"));
}

TEST_P(BackupsOnDisk, ATableWhoseBackupIsDamagedCanBeDeleted) {
  create(good_table());
  fill("Music", 10);
  const std::string backup = back_up();
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  fs::remove_all(folder() / id_of(backup));
  const auto swept = db_->sweep();
  ASSERT_FALSE(swept);
  EXPECT_THAT(swept.error().message(),
              HasSubstr("The files of the backup " + id_of(backup) + " are missing"));
  EXPECT_TRUE(db_->sweep()) << "it is reported once";
  EXPECT_EQ(described("Restored").status, TableStatus::Creating);
  EXPECT_THAT(db_->failed_restore("Restored").value(), HasSubstr("are missing"));
  EXPECT_TRUE(db_->delete_backup({backup})) << "nobody reads it";
  EXPECT_TRUE(db_->delete_table({"Restored"}));
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_P(BackupsOnDisk, WhatFailedInTheBackgroundIsToldOnce) {
  create(good_table());
  const std::string backup = back_up();
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  fs::remove_all(folder() / id_of(backup));
  std::mutex mutex;
  std::vector<std::string> reported;
  db_->start_sweeping([&](const std::string& why) {
    const std::lock_guard lock(mutex);
    reported.push_back(why);
  });
  for (int i = 0; i < 3; ++i) static_cast<void>(db_->sweep());
  const std::lock_guard lock(mutex);
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_THAT(reported[0], HasSubstr("The restore of the table Restored stopped: The files of the backup " +
                                     id_of(backup) + " are missing"));
}

TEST_P(BackupsOnDisk, AFailedRestoreToAMomentLeavesNothingBehind) {
  create(good_table());
  ASSERT_TRUE(db_->update_continuous_backups({.table_name = "Music", .enabled = true}));
  fill("Music", 10);
  clock_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(db_->restore_table_to_point_in_time(
      {.source_table_name = "Music", .target_table_name = "Restored", .latest = true}));
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.is_directory()) fs::remove(entry.path() / "CURRENT");
  }
  EXPECT_FALSE(db_->sweep());
  EXPECT_FALSE(fs::is_empty(folder()));
  EXPECT_TRUE(db_->delete_table({"Restored"}));
  EXPECT_TRUE(fs::is_empty(folder()));
}

// Another process has its directory open, which is temporary.
TEST_P(BackupsOnDisk, ARestoreThatCannotGoOnNowMayBeDeletedOrGoesOnLater) {
  create(good_table());
  fill("Music", 10);
  const std::string backup = back_up();
  ASSERT_EQ(restore(backup, "Restored"), "begun");
  auto other = store::open_rocks(folder() / id_of(backup), {.is_only_read = true});
  ASSERT_TRUE(other) << text_of(other.error());
  EXPECT_FALSE(db_->sweep());
  EXPECT_THAT(db_->failed_restore("Restored").value(), HasSubstr("open"));
  EXPECT_THAT(text_of(db_->delete_backup({backup}).error()), HasSubstr("BackupInUseException"));
  EXPECT_TRUE(db_->delete_table({"Restored"}));
  ASSERT_EQ(restore(backup, "Again"), "begun");
  EXPECT_FALSE(db_->sweep());
  other->reset();
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(db_->failed_restore("Again").value(), "");
  EXPECT_EQ(contents(db_, "Again"), contents(db_, "Music"));
}

// So an opened backup shares its files with the store for as long as that has them.
TEST(BackupsAreOnlyRead, AndTheirFilesAreNotPutTogether) {
  const ScratchDirectory directory;
  const auto opened =
      store::open_rocks(directory / "data", {.durability = store::Durability::Relaxed, .is_only_read = true});
  ASSERT_TRUE(opened) << text_of(opened.error());
  constexpr int kFiles = 8;
  for (int i = 0; i < kFiles; ++i) {
    const std::array keys{std::string("key")};
    ASSERT_TRUE((*opened)->transact(keys, {}, [&](const store::View&) -> Result<store::Decision> {
      return store::Decision{{store::Write::put(keys[0], std::to_string(i))}, {}};
    }));
    ASSERT_TRUE((*opened)->checkpoint(directory / std::to_string(i)));  // writes a file
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it would be done by then
  EXPECT_EQ(std::ranges::count_if(fs::directory_iterator(directory / "data"),
                                  [](const auto& entry) { return entry.path().extension() == ".sst"; }),
            kFiles);
}

// ---- Damage ----

TEST_P(Backups, ADamagedRecordDoesNotKeepOthersFromBeingForgotten) {
  create(good_table());
  ASSERT_TRUE(db_->update_continuous_backups({.table_name = "Music", .enabled = true}));
  ASSERT_TRUE(db_->delete_table({"Music"}));  // leaves a backup that expires
  CreateTableRequest request = simple_table("Films");
  request.stream = StreamView::KeysOnly;
  create(request);
  ASSERT_TRUE(db_->put_item({.table_name = "Films", .item = *pack({{"pk", "p"}})}));
  const std::array keys{backup_key("00000000000001-00000000")};
  ASSERT_TRUE(db_.store().transact(keys, {}, [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::put(keys[0], "damaged")}, {}};
  }));
  const auto logged = [&] {
    return std::ranges::count_if(db_.dump(), [](const auto& e) { return e.first.starts_with('\x0A'); });
  };
  const auto recorded = [&] {
    const std::string prefix = keys[0].substr(0, 2);
    return std::ranges::count_if(db_.dump(), [&](const auto& e) { return e.first.starts_with(prefix); });
  };
  EXPECT_EQ(logged(), 1);
  EXPECT_EQ(recorded(), 2);
  clock_.advance(std::chrono::days(36));
  EXPECT_FALSE(db_->sweep());
  EXPECT_EQ(logged(), 0);
  EXPECT_EQ(recorded(), 1);
}

}  // namespace
}  // namespace tavola::engine
