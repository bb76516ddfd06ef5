// Continuous backups: a table at any point in time, on both stores.
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "engine/backups/restore_job.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_restores.h"
#include "engine/test_stream_reader.h"
#include "engine/test_tables.h"
#include "engine/write/change_log.h"

namespace tavola::engine {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Recovery : public testing::TestWithParam<StoreKind> {
 protected:
  Recovery() : db_(GetParam(), clock_) {}

  void create(const std::string& name = "Music") {
    const auto created = db_->create_table(good_table(name));
    ASSERT_TRUE(created) << text_of(created.error());
  }
  ContinuousBackups switch_on(std::optional<int> for_days = {}, const std::string& table = "Music") {
    const auto on =
        db_->update_continuous_backups({.table_name = table, .enabled = true, .recovery_days = for_days});
    EXPECT_TRUE(on) << text_of(on.error());
    return on ? on->backups : ContinuousBackups();
  }
  void switch_off() {
    ASSERT_TRUE(db_->update_continuous_backups({.table_name = "Music", .enabled = false}));
  }
  ContinuousBackups described() { return db_->describe_continuous_backups({"Music"})->backups; }
  void put(std::string_view notation) {
    const auto done = db_->put_item(engine::put("Music", notation));
    ASSERT_TRUE(done) << text_of(done.error());
  }
  std::string begin(const std::string& table, std::optional<WallTime> moment) {
    const auto begun = db_->restore_table_to_point_in_time(
        {.source_table_name = "Music", .target_table_name = table, .latest = !moment, .moment = moment});
    if (!begun) return text_of(begun.error());
    const auto& from = begun->table.restored_from;
    EXPECT_TRUE(from && from->table_name == "Music" && begun->table.status == TableStatus::Creating &&
                (!moment || from->moment >= *moment) && from->moment.time_since_epoch().count() > 0);
    return "begun";
  }
  Contents restored(const std::string& table, std::optional<WallTime> moment) {
    EXPECT_EQ(begin(table, moment), "begun");
    const auto swept = db_->sweep();
    EXPECT_TRUE(swept) << text_of(swept.error());
    db_.expect_consistent(table);
    return contents(db_, table);
  }
  std::size_t logged() {
    std::size_t changes = 0;
    for (const auto& [key, value] : db_.dump()) changes += key.starts_with('\x0A') ? 1 : 0;
    return changes;
  }

  TestClock clock_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Recovery, testing::ValuesIn(kStoresWithBackups),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(Recovery, IsSwitchedOnAndOff) {
  create();
  EXPECT_EQ(described().recovery, std::nullopt);
  const WallTime since = clock_.now();
  EXPECT_EQ(switch_on().recovery, (PointInTimeRecovery{since, 35}));
  clock_.advance(hours(48));
  EXPECT_EQ(described().earliest, since);
  EXPECT_EQ(described().latest, clock_.now());
  EXPECT_EQ(switch_on(1).recovery->days, 1);
  EXPECT_EQ(described().earliest, clock_.now() - days(1));
  clock_.advance(hours(10));
  // Removed changes do not come back.
  EXPECT_EQ(switch_on(30).earliest, clock_.now() - days(1));
  switch_off();
  EXPECT_EQ(described().recovery, std::nullopt);
  switch_off();
  EXPECT_EQ(switch_on().recovery, (PointInTimeRecovery{clock_.now(), 35}));
}

TEST_P(Recovery, IsFor35DaysUnlessTheRequestSaysOtherwise) {
  create();
  EXPECT_EQ(switch_on(7).recovery->days, 7);
  EXPECT_EQ(switch_on().recovery->days, 35);
}

// Writes from before it was switched on are not undone, whatever the clock said then.
TEST_P(Recovery, BeginsBehindTheLogWhenTheClockWasSetBack) {
  CreateTableRequest request = good_table();
  request.stream = StreamView::NewImage;
  ASSERT_TRUE(db_->create_table(request));
  put(R"({pk: "p", sk: 1})");
  clock_.advance(seconds(300));
  put(R"({pk: "p", sk: 1, x: "later"})");
  const Contents then = contents(db_, "Music");
  clock_.advance(seconds(-300));
  const WallTime since = switch_on().earliest;
  EXPECT_EQ(since, clock_.now() + seconds(300) + milliseconds(1));
  EXPECT_THAT(begin("Early", clock_.now() + seconds(60)), HasSubstr("InvalidRestoreTimeException"));
  EXPECT_EQ(restored("New", since), then);
}

TEST_P(Recovery, ADamagedTableKeepsItsLogAndNoOther) {
  create();
  switch_on(2);
  put(R"({pk: "p", sk: 1})");
  CreateTableRequest request = good_table("Films");
  request.stream = StreamView::KeysOnly;
  ASSERT_TRUE(db_->create_table(request));
  ASSERT_TRUE(db_->put_item(engine::put("Films", R"({pk: "p", sk: 1})")));
  const std::array keys{catalog_key("Music")};
  ASSERT_TRUE(db_.store().transact(keys, {}, [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::put(keys[0], "damaged")}, {}};
  }));
  ASSERT_EQ(logged(), 2U);
  clock_.advance(days(10));
  EXPECT_FALSE(db_->sweep());
  EXPECT_EQ(logged(), 1U) << "that of Music, for which nobody can say how long";
  clock_.advance(days(26));
  EXPECT_FALSE(db_->sweep());
  EXPECT_EQ(logged(), 0U);
}

TEST_P(Recovery, WhatIsRefused) {
  create();
  EXPECT_EQ(
      begin("New", clock_.now()),
      "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'Music'");
  EXPECT_EQ(text_of(db_->update_continuous_backups({"Nothing", true, {}}).error()),
            "TableNotFoundException: Table not found: Nothing");
  EXPECT_EQ(text_of(db_->update_continuous_backups({"Music", false, 7}).error()),
            "ValidationException: Invalid Request: Cannot specify RecoveryPeriodInDays when disabling "
            "point-in-time recovery.");
  EXPECT_THAT(text_of(db_->update_continuous_backups({"Music", true, 36}).error()),
              HasSubstr("Value '36' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to "
                        "satisfy constraint: Member must have value less than or equal to 35"));
  switch_on();
  clock_.advance(hours(1));
  EXPECT_EQ(begin("New", clock_.now() + seconds(1)),
            "InvalidRestoreTimeException: RestoreDateTime '2027-01-15T09:00:01Z' must be within "
            "EarliestRestorableDateTime '2027-01-15T08:00:00Z' and LatestRestorableDateTime "
            "'2027-01-15T09:00:00Z'");
  EXPECT_THAT(begin("New", clock_.now() - hours(2)), HasSubstr("InvalidRestoreTimeException"));
  EXPECT_EQ(begin("Music", clock_.now()), "TableAlreadyExistsException: Table already exists: Music");
  const auto both = db_->restore_table_to_point_in_time(
      {.source_table_name = "Music", .target_table_name = "New", .latest = true, .moment = clock_.now()});
  EXPECT_THAT(text_of(both.error()),
              HasSubstr("Both RestoreDateTime and UseLatestRestorableTime cannot be set"));
  const auto neither =
      db_->restore_table_to_point_in_time({.source_table_name = "Music", .target_table_name = "New"});
  EXPECT_EQ(text_of(neither.error()),
            "ValidationException: Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime "
            "must be specified, but not both");
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_EQ(begin("New", clock_.now()), "TableNotFoundException: Table not found: Music");
}

TEST_P(Recovery, TheSecondInWhichItWasSwitchedOnIsThatMoment) {
  create();
  clock_.advance(milliseconds(400));
  put(R"({pk: "p", sk: 1})");
  switch_on();
  clock_.advance(milliseconds(5));
  put(R"({pk: "p", sk: 2})");
  EXPECT_THAT(restored("New", std::chrono::floor<seconds>(clock_.now())), SizeIs(1));
}

TEST_P(Recovery, TheLatestMomentHasAllThatWasAcknowledged) {
  create();
  switch_on();
  for (int i = 0; i < 30; ++i) put("{pk: \"p\", sk: " + std::to_string(i) + "}");
  EXPECT_EQ(restored("New", std::nullopt), contents(db_, "Music"));
  EXPECT_EQ(restored("New2", clock_.now()), contents(db_, "Music"));
}

// ---- A random history ----

// The expected table after each change.
class History {
 public:
  History(TestDatabase& db, TestClock& clock, unsigned seed) : db_(db), clock_(clock), random_(seed) {}

  void step() {
    clock_.advance(milliseconds(below(3) == 0 ? 0 : below(700)));
    switch (below(9)) {
      case 0:
      case 1:
        done(db_->put_item({.table_name = "Music", .item = put_into_model()}));
        break;
      case 2:
        update();
        break;
      case 3:
        remove();
        break;
      case 4:
        batch();
        break;
      case 5:
        transact();
        break;
      case 6:
        expire();
        break;
      case 7:
        switch_stream();
        break;
      default:
        break;  // time passes
    }
    states_[clock_.now()] = model_;
  }
  Contents at(WallTime moment) const {
    const auto after = states_.upper_bound(moment);
    return after == states_.begin() ? Contents() : std::prev(after)->second;
  }
  unsigned below(unsigned end) { return std::uniform_int_distribution<unsigned>(0, end - 1)(random_); }

 private:
  template <class Outcome>
  void done(const Outcome& outcome) {
    ASSERT_TRUE(outcome) << text_of(outcome.error());
  }
  Item random_key() { return {{"pk", "p" + std::to_string(below(5))}, {"sk", static_cast<int>(below(8))}}; }
  PackedItem put_into_model() {
    Item item = random_key();
    if (below(2) == 0) item["a"] = Value(Binary{std::string(1, static_cast<char>('a' + below(4)))});
    if (below(2) == 0) item["x"] = std::to_string(below(100));
    if (below(3) == 0) item["ttl"] = clock_.seconds() + static_cast<std::int64_t>(below(30));
    const PackedItem packed = *pack(item);
    model_[key_text_of(item)] = packed.bytes();
    return packed;
  }
  void update() {
    const Item key = random_key();
    const std::string text = std::to_string(below(1000));
    done(db_->update_item({.table_name = "Music",
                           .key = *pack(key),
                           .update_expression = "SET x = :x REMOVE a",
                           .values = *pack({{":x", text}})}));
    const auto found = model_.find(key_text_of(key));
    Item item = found == model_.end() ? key : ItemView(found->second).unpack();
    item["x"] = text;
    item.erase("a");
    model_[key_text_of(key)] = pack(item)->bytes();
  }
  void remove() {
    const Item key = random_key();
    done(db_->delete_item({.table_name = "Music", .key = *pack(key)}));
    model_.erase(key_text_of(key));
  }
  void batch() {
    TableWrites writes{.table_name = "Music"};
    std::set<std::string> used;
    for (int i = 0; i < 5; ++i) {
      const Item key = random_key();
      if (!used.insert(key_text_of(key)).second) continue;
      writes.writes.push_back({BatchWrite::Kind::Delete, *pack(key)});
      model_.erase(key_text_of(key));
    }
    done(db_->batch_write_item({.tables = {writes}}));
  }
  void transact() {
    const PackedItem item = put_into_model();
    Item gone = random_key();
    std::vector<TransactWrite> actions{PutItemRequest{.table_name = "Music", .item = item}};
    if (key_text_of(gone) != key_text_of(item.unpack())) {
      actions.emplace_back(DeleteItemRequest{.table_name = "Music", .key = *pack(gone)});
      model_.erase(key_text_of(gone));
    }
    done(db_->transact_write_items({.actions = actions}));
  }
  void expire() {
    done(db_->sweep());
    std::erase_if(model_, [this](const auto& entry) {
      const auto time = ItemView(entry.second).find("ttl");
      return time && time->number().to_int64() <= clock_.seconds();
    });
  }
  void switch_stream() {
    const bool is_on = db_->describe_table({"Music"})->table.stream.has_value();
    const auto view = is_on ? std::optional<StreamView>() : std::optional(StreamView::NewImage);
    done(db_->update_table({.table_name = "Music", .stream = std::optional(view)}));
  }

  TestDatabase& db_;
  TestClock& clock_;
  std::mt19937 random_;
  Contents model_;
  std::map<WallTime, Contents> states_;
};

TEST_P(Recovery, TwentyRandomMomentsAreWhatTheyWere) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TestDatabase db(GetParam(), clock_);
    ASSERT_TRUE(db->create_table(good_table()));
    ASSERT_TRUE(db->update_time_to_live({"Music", "ttl", true}));
    History history(db, clock_, seed);
    for (int i = 0; i < 40; ++i) history.step();
    ASSERT_TRUE(db->update_continuous_backups({.table_name = "Music", .enabled = true}));
    const WallTime since = clock_.now();
    for (int i = 0; i < 600; ++i) history.step();
    const auto span = static_cast<unsigned>((clock_.now() - since).count());
    for (int i = 0; i < 20; ++i) {
      const WallTime moment = since + milliseconds(i == 0 ? 0 : history.below(span + 1));
      const std::string table = "At" + std::to_string(i);
      const auto begun = db->restore_table_to_point_in_time(
          {.source_table_name = "Music", .target_table_name = table, .moment = moment});
      ASSERT_TRUE(begun) << text_of(begun.error());
      // The source continues independently.
      for (int more = 0; more < 10; ++more) history.step();
      const auto swept = db->sweep();
      ASSERT_TRUE(swept) << text_of(swept.error());
      EXPECT_EQ(contents(db, table), history.at(moment)) << moment.time_since_epoch().count();
      db.expect_consistent(table);
      ASSERT_TRUE(db->delete_table({table}));
    }
  }
}

TEST_P(Recovery, TheSourceMayBeDeletedMeanwhile) {
  create();
  switch_on();
  put(R"({pk: "p", sk: 1, x: "a"})");
  const Contents then = contents(db_, "Music");
  const WallTime moment = clock_.now();
  clock_.advance(seconds(1));
  put(R"({pk: "p", sk: 1, x: "b"})");
  ASSERT_EQ(begin("New", moment), "begun");
  switch_off();
  ASSERT_TRUE(db_->delete_table({"Music"}));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(contents(db_, "New"), then);
}

// ---- The log ----

TEST_P(Recovery, WhatAStreamShowsDoesNotChange) {
  std::vector<std::string> shown[2];
  for (const bool with_recovery : {false, true}) {
    for (const StreamView view :
         {StreamView::KeysOnly, StreamView::NewImage, StreamView::OldImage, StreamView::NewAndOldImages}) {
      const std::string name = "Table" + std::to_string(static_cast<int>(view)) + (with_recovery ? "r" : "");
      CreateTableRequest request = good_table(name);
      request.stream = view;
      ASSERT_TRUE(db_->create_table(request));
      if (with_recovery) switch_on({}, name);
      ASSERT_TRUE(db_->put_item(engine::put(name, R"({pk: "p", sk: 1, x: "a"})")));
      ASSERT_TRUE(db_->put_item(engine::put(name, R"({pk: "p", sk: 1, x: "b"})")));
      ASSERT_TRUE(db_->delete_item(remove(name, R"({pk: "p", sk: 1})")));
      const std::string stream = db_->list_streams({.table_name = name})->streams.at(0).stream;
      for (const StreamRecord& record : StreamReader(*db_, stream).next()) {
        shown[with_recovery ? 1 : 0].push_back(
            std::to_string(static_cast<int>(record.kind)) + record.keys.bytes() + "|" +
            (record.new_image ? record.new_image->bytes() : "-") + "|" +
            (record.old_image ? record.old_image->bytes() : "-") + std::to_string(record.size_bytes));
      }
    }
  }
  EXPECT_THAT(shown[0], SizeIs(12));
  EXPECT_EQ(shown[0], shown[1]);
}

TEST_P(Recovery, TheLogIsKeptForAsManyDaysAsWereAskedForAndAnHour) {
  create();
  switch_on(3);
  put(R"({pk: "p", sk: 1})");
  const WallTime first = clock_.now();
  clock_.advance(hours(71));
  put(R"({pk: "p", sk: 1, x: "b"})");
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(logged(), 2U);
  EXPECT_THAT(restored("New", first), SizeIs(1));
  clock_.advance(hours(3));
  ASSERT_TRUE(db_->sweep());
  EXPECT_THAT(begin("Newer", first), HasSubstr("InvalidRestoreTimeException"));
  switch_off();
  clock_.advance(hours(30));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(logged(), 0U);
}

TEST_P(Recovery, WithoutItNothingIsLogged) {
  create();
  put(R"({pk: "p", sk: 1})");
  EXPECT_EQ(logged(), 0U);
  switch_on();
  put(R"({pk: "p", sk: 2})");
  EXPECT_EQ(logged(), 1U);
  switch_off();
  put(R"({pk: "p", sk: 3})");
  EXPECT_EQ(logged(), 1U);
}

// ---- The last backup of a deleted table ----

TEST_P(Recovery, ADeletedTableLeavesABackupFor35Days) {
  create();
  switch_on();
  put(R"({pk: "p", sk: 1, x: "a"})");
  const Contents before = contents(db_, "Music");
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_THAT(db_->list_backups({.table_name = "Music"})->backups, IsEmpty());
  const auto listed = db_->list_backups({.table_name = "Music", .type = BackupTypeFilter::System})->backups;
  ASSERT_THAT(listed, SizeIs(1));
  EXPECT_EQ(listed[0].name, "Music$DeletedTableBackup");
  EXPECT_EQ(listed[0].type, BackupType::System);
  EXPECT_EQ(listed[0].table.item_count, 1);
  EXPECT_EQ(listed[0].expires_at, clock_.now() + days(35));
  EXPECT_EQ(
      text_of(db_->delete_backup({listed[0].backup}).error()),
      "ValidationException: Invalid Request: User is not allowed to delete the system backup with arn " +
          listed[0].backup + ". It will automatically expire on 2027-02-19T08:00:00Z");
  ASSERT_TRUE(db_->restore_table_from_backup({.backup = listed[0].backup, .target_table_name = "Music"}));
  ASSERT_TRUE(db_->sweep());
  EXPECT_EQ(contents(db_, "Music"), before);
  clock_.advance(days(36));
  ASSERT_TRUE(db_->sweep());
  EXPECT_THAT(db_->list_backups({.type = BackupTypeFilter::All})->backups, IsEmpty());
}

// ---- After a restart ----

TEST(RecoveryOnDisk, ARestoreGoesOnWhereItWas) {
  TestClock clock;
  TestDatabase db(StoreKind::Rocks, clock);
  ASSERT_TRUE(db->create_table(good_table()));
  ASSERT_TRUE(db->update_continuous_backups({.table_name = "Music", .enabled = true}));
  const auto write = [&db](int round) {
    for (int i = 0; i < 2500; ++i) {
      const Item item{{"pk", "p" + std::to_string(i % 9)}, {"sk", i}, {"x", std::to_string(round)}};
      ASSERT_TRUE(db->put_item({.table_name = "Music", .item = *pack(item)}));
    }
  };
  write(1);
  const Contents then = contents(db, "Music");
  const WallTime moment = clock.now();
  clock.advance(seconds(1));
  write(2);
  ASSERT_TRUE(db->restore_table_to_point_in_time(
      {.source_table_name = "Music", .target_table_name = "New", .moment = moment}));
  int openings = 0;
  bool is_done = false;
  for (; !is_done && openings < 50; ++openings) {  // one portion, and closed
    const SchemaPtr schema = *Catalog(db.store()).find("New");
    {
      Catalog catalog(db.store());
      CheckpointShelf shelf(db.store());
      int portions = 0;
      const auto done = restore_for_a_while({db.store(), catalog, shelf}, job_key(schema->id, kRestoreJob),
                                            [&] { return portions++ == 1; });
      ASSERT_TRUE(done) << text_of(done.error());
      is_done = *done;
    }
    db.reopen();
    write(3 + openings);
  }
  EXPECT_GE(openings, 5);
  EXPECT_EQ(contents(db, "New"), then);
  db.expect_consistent("New");
  EXPECT_TRUE(std::filesystem::is_empty(db.store().directory() / "backups"));
}

// ---- Concurrent writers ----

// One thread writes item after item. A restore to any time has all of them up to one, and all that were acknowledged
// before that time.
TEST(RecoveryUnderWay, AMomentIsAPrefixOfWhatWasWritten) {
  for (const StoreKind kind : kStoresWithBackups) {
    SCOPED_TRACE(to_string(kind));
    TestDatabase db(kind);
    ASSERT_TRUE(db->create_table(good_table()));
    ASSERT_TRUE(db->update_continuous_backups({.table_name = "Music", .enabled = true}));
    std::atomic<int> acknowledged = 0;
    std::atomic<bool> stop = false;
    std::thread writer([&] {
      for (int i = 0; !stop && i < 5000; ++i) {
        const Item item{{"pk", "p" + std::to_string(i % 9)}, {"sk", i}};
        const auto put = db->put_item({.table_name = "Music", .item = *pack(item)});
        EXPECT_TRUE(put) << text_of(put.error());
        if (!put) stop = true;
        acknowledged = i + 1;
      }
    });
    while (acknowledged == 0) std::this_thread::yield();  // the restores are beside writes
    for (int i = 0; i < 8; ++i) {
      const int least = acknowledged;
      const std::string table = "At" + std::to_string(i);
      ASSERT_TRUE(db->restore_table_to_point_in_time(
          {.source_table_name = "Music", .target_table_name = table, .latest = true}));
      ASSERT_TRUE(db->sweep());
      std::set<std::int64_t> numbers;
      for (const PackedItem& item : db.scan_all(table))
        numbers.insert(*item.unpack().at("sk").number().to_int64());
      EXPECT_GE(static_cast<int>(numbers.size()), least);
      EXPECT_TRUE(numbers.empty() || *numbers.rbegin() == static_cast<std::int64_t>(numbers.size()) - 1);
      db.expect_consistent(table);
    }
    stop = true;
    writer.join();
  }
}

}  // namespace
}  // namespace tavola::engine
