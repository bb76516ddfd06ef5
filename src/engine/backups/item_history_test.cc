// The history of an item: pages of its versions and the item as of a time, on both stores, against a model.
#include "engine/backups/item_history.h"

#include <atomic>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A version of an item, and when and by whom it was made: "2027-…Z Modify Client {…}".
struct Version {
  WallTime at{};
  ChangeKind kind = ChangeKind::Insert;
  ChangedBy by = ChangedBy::Client;
  std::optional<PackedItem> item{};
  friend bool operator==(const Version&, const Version&) = default;
};

std::ostream& operator<<(std::ostream& out, const Version& version) {
  return out << version.at.time_since_epoch().count() << " kind " << static_cast<int>(version.kind) << " by "
             << static_cast<int>(version.by) << (version.item ? " an item" : " nothing");
}

// The pages of a history, put together as every reader does.
class HistoryReader {
 public:
  using Read = std::function<Result<ItemHistoryResponse>(const ItemHistoryRequest&)>;

  // Newest first. `limit` is drawn for each page.
  static std::vector<Version> all(const Read& read, ItemHistoryRequest request,
                                  const std::function<int()>& limit) {
    std::vector<Version> versions;
    std::optional<PackedItem> after;
    for (bool is_first = true;; is_first = false) {
      request.limit = limit();
      const auto page = read(request);
      EXPECT_TRUE(page) << text_of(page.error());
      if (!page) return versions;
      if (is_first) after = page->item;
      for (const PastChange& change : page->changes) {
        versions.push_back({change.at, change.kind, change.by, after});
        after = change.before;
        EXPECT_GE(change.at, page->reached - milliseconds(1)) << "others of its millisecond may follow";
      }
      EXPECT_EQ(page->next.has_value(), page->reached > page->earliest);
      if (!page->next) return versions;
      EXPECT_TRUE(!request.before || *page->next < *request.before) << "no progress";
      request.before = page->next;
    }
  }
};

class ItemHistory : public testing::TestWithParam<StoreKind> {
 protected:
  ItemHistory() : db_(GetParam(), clock_) {
    const auto created = db_->create_table(good_table());
    EXPECT_TRUE(created) << text_of(created.error());
  }
  void switch_on(const std::string& table = "Music", std::optional<int> for_days = {}) {
    ASSERT_TRUE(
        db_->update_continuous_backups({.table_name = table, .enabled = true, .recovery_days = for_days}));
  }
  void put(std::string_view notation) {
    clock_.advance(seconds(1));
    const auto done = db_->put_item(engine::put("Music", notation));
    ASSERT_TRUE(done) << text_of(done.error());
  }
  std::vector<Version> versions(const std::string& table, const PackedItem& key, int limit = 100) {
    return HistoryReader::all([&](const auto& request) { return db_->item_history(request); },
                              {.table_name = table, .key = key}, [=] { return limit; });
  }
  std::string refusal(const ItemHistoryRequest& request) {
    const auto page = db_->item_history(request);
    return page ? "" : text_of(page.error());
  }
  std::string as_of(WallTime moment, const PackedItem& key = item(R"({pk: "p", sk: 1})")) {
    const auto found = db_->item_as_of({.table_name = "Music", .key = key, .moment = moment});
    if (!found) return text_of(found.error());
    if (!found->item) return "nothing";
    const auto text = found->item->find("x");
    return text ? std::string(text->string()) : "no x";
  }

  TestClock clock_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, ItemHistory, testing::ValuesIn(kStoresWithBackups),
                         [](const auto& kind) { return to_string(kind.param); });

const PackedItem kSong = item(R"({pk: "p", sk: 1})");

TEST_P(ItemHistory, EveryChangeIsAVersion) {
  put(R"({pk: "p", sk: 1, x: "before"})");
  switch_on();
  const WallTime start = clock_.now();
  put(R"({pk: "p", sk: 1, x: "a"})");
  put(R"({pk: "p", sk: 2, x: "another"})");
  put(R"({pk: "p", sk: 1, x: "a"})");  // the same: no version
  clock_.advance(seconds(1));
  ASSERT_TRUE(db_->delete_item(remove("Music", R"({pk: "p", sk: 1})")));
  put(R"({pk: "p", sk: 1, x: "b"})");
  const auto history = db_->item_history({.table_name = "Music", .key = kSong});
  ASSERT_TRUE(history) << text_of(history.error());
  EXPECT_EQ(history->item, item(R"({pk: "p", sk: 1, x: "b"})"));
  EXPECT_EQ(history->earliest, start);
  EXPECT_EQ(history->reached, start);
  EXPECT_EQ(history->next, std::nullopt);
  ASSERT_EQ(history->changes.size(), 3U);
  EXPECT_EQ(history->changes[2].before, item(R"({pk: "p", sk: 1, x: "before"})"));
  const std::vector<Version> expected{
      {start + seconds(5), ChangeKind::Insert, ChangedBy::Client, item(R"({pk: "p", sk: 1, x: "b"})")},
      {start + seconds(4), ChangeKind::Remove, ChangedBy::Client, std::nullopt},
      {start + seconds(1), ChangeKind::Modify, ChangedBy::Client, item(R"({pk: "p", sk: 1, x: "a"})")}};
  EXPECT_EQ(versions("Music", kSong), expected);
  EXPECT_EQ(versions("Music", kSong, 1), expected);
}

TEST_P(ItemHistory, AnItemThatNeverExistedHasNone) {
  switch_on();
  put(R"({pk: "p", sk: 2})");
  const auto history = db_->item_history({.table_name = "Music", .key = kSong});
  ASSERT_TRUE(history);
  EXPECT_EQ(history->item, std::nullopt);
  EXPECT_THAT(history->changes, IsEmpty());
}

TEST_P(ItemHistory, AsOfATime) {
  put(R"({pk: "p", sk: 1, x: "before"})");
  switch_on();
  const WallTime start = clock_.now();
  put(R"({pk: "p", sk: 1, x: "a"})");
  clock_.advance(seconds(1));
  ASSERT_TRUE(db_->delete_item(remove("Music", R"({pk: "p", sk: 1})")));
  put(R"({pk: "p", sk: 1, x: "b"})");
  clock_.advance(seconds(1));
  EXPECT_EQ(as_of(start), "before");
  EXPECT_EQ(as_of(start + milliseconds(999)), "before");
  EXPECT_EQ(as_of(start + seconds(1)), "a");
  EXPECT_EQ(as_of(start + seconds(2)), "nothing");
  EXPECT_EQ(as_of(start + seconds(3)), "b");
  EXPECT_EQ(as_of(clock_.now()), "b");
  const auto then = db_->item_as_of({.table_name = "Music", .key = kSong, .moment = start});
  EXPECT_EQ(then->until, start + seconds(1));
  EXPECT_EQ(db_->item_as_of({.table_name = "Music", .key = kSong, .moment = clock_.now()})->until,
            std::nullopt);
  EXPECT_EQ(as_of(start - milliseconds(1)),
            "InvalidRestoreTimeException: The history of the table 'Music' reaches from "
            "2027-01-15T08:00:01.000Z to "
            "2027-01-15T08:00:05.000Z, and 2027-01-15T08:00:00.999Z is not in it.");
  EXPECT_THAT(as_of(clock_.now() + milliseconds(1)), HasSubstr("InvalidRestoreTimeException"));
}

TEST_P(ItemHistory, WhatIsRefused) {
  EXPECT_EQ(refusal({.table_name = "Music", .key = kSong}),
            "PointInTimeRecoveryUnavailableException: The table 'Music' keeps no history: it is a part of "
            "point-in-time recovery, which is off. Switch it on (UpdateContinuousBackups): the history "
            "begins then.");
  EXPECT_THAT(as_of(clock_.now()), HasSubstr("PointInTimeRecoveryUnavailableException"));
  switch_on();
  EXPECT_THAT(refusal({.table_name = "Nothing", .key = kSong}), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(refusal({.table_name = "Music", .key = item(R"({pk: "p"})")}),
            "ValidationException: The provided key element does not match the schema");
  EXPECT_THAT(refusal({.table_name = "Music", .key = item(R"({pk: "p", sk: "1"})")}),
              HasSubstr("ValidationException"));
  EXPECT_THAT(refusal({.table_name = "Music", .key = kSong, .limit = 0}),
              HasSubstr("greater than or equal to 1"));
  EXPECT_THAT(refusal({.table_name = "Music", .key = kSong, .limit = 101}),
              HasSubstr("less than or equal to 100"));
}

TEST_P(ItemHistory, EndsWhereRecoveryDoes) {
  switch_on("Music", 2);
  put(R"({pk: "p", sk: 1, x: "a"})");
  clock_.advance(days(1));
  put(R"({pk: "p", sk: 1, x: "b"})");
  EXPECT_EQ(versions("Music", kSong).size(), 2U);
  clock_.advance(days(1));
  EXPECT_EQ(versions("Music", kSong).size(), 1U) << "although the log still has the other";
  EXPECT_THAT(as_of(clock_.now() - days(2) - milliseconds(1)), HasSubstr("InvalidRestoreTimeException"));
  EXPECT_EQ(as_of(clock_.now() - days(2)), "a");
  ASSERT_TRUE(db_->update_continuous_backups({.table_name = "Music", .enabled = false}));
  put(R"({pk: "p", sk: 1, x: "unseen"})");
  clock_.advance(seconds(1));
  switch_on();
  EXPECT_THAT(versions("Music", kSong), IsEmpty());
  put(R"({pk: "p", sk: 1, x: "c"})");
  EXPECT_EQ(versions("Music", kSong).size(), 1U);
}

TEST_P(ItemHistory, AStreamChangesNothing) {
  switch_on();
  const auto view = [&](std::optional<StreamView> wanted) {
    ASSERT_TRUE(db_->update_table({.table_name = "Music", .stream = std::optional(wanted)}));
  };
  for (const StreamView each : {StreamView::KeysOnly, StreamView::NewImage, StreamView::NewAndOldImages}) {
    view(each);
    put("{pk: \"p\", sk: 1, x: \"" + std::to_string(static_cast<int>(each)) + "\"}");
    view(std::nullopt);
  }
  std::vector<std::string> texts;
  for (const Version& version : versions("Music", kSong))
    texts.emplace_back(version.item->find("x")->string());
  EXPECT_THAT(texts, ElementsAre("3", "1", "0"));
}

TEST_P(ItemHistory, ExpiredItemsWereRemovedByTheirTime) {
  ASSERT_TRUE(db_->update_time_to_live({"Music", "ttl", true}));
  switch_on();
  put("{pk: \"p\", sk: 1, ttl: " + std::to_string(clock_.seconds() + 5) + "}");
  clock_.advance(seconds(10));
  ASSERT_TRUE(db_->sweep());
  const std::vector<Version> found = versions("Music", kSong);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Version{clock_.now(), ChangeKind::Remove, ChangedBy::TimeToLive, std::nullopt}));
}

// ---- Bounds ----

// Reads with pages of a few records, without the catalog.
class SmallPages {
 public:
  SmallPages(TestDatabase& db, const Clock& clock, HistoryPage page)
      : db_(db), clock_(clock), page_(page), table_(*decode_schema(db.record("Music"))) {}
  Result<ItemHistoryResponse> operator()(const ItemHistoryRequest& request) const {
    return item_history(context(), request);
  }
  // Returns the answer and how many pages it took.
  std::pair<ItemAsOfResponse, int> as_of(const PackedItem& key, WallTime moment) const {
    ItemAsOfRequest request{.table_name = "Music", .key = key, .moment = moment};
    for (int pages = 1;; ++pages) {
      const auto found = item_as_of(context(), request);
      EXPECT_TRUE(found) << text_of(found.error());
      if (!found || !found->next) return {found.value_or(ItemAsOfResponse()), pages};
      EXPECT_TRUE(!request.after || *found->next > *request.after) << "no progress";
      request.after = found->next;
    }
  }

 private:
  HistoryContext context() const {
    return {.store = db_.store(), .table = *table_, .now = clock_.now(), .page = page_};
  }
  TestDatabase& db_;
  const Clock& clock_;
  HistoryPage page_;
  std::shared_ptr<TableSchema> table_;
};

TEST_P(ItemHistory, APageReadsABoundedPartOfTheLog) {
  switch_on();
  put(R"({pk: "p", sk: 1, x: "a"})");
  const WallTime then = clock_.now();
  for (int i = 0; i < 50; ++i) put("{pk: \"p\", sk: 2, x: \"" + std::to_string(i) + "\"}");
  const SmallPages by_records(db_, clock_, {.records_max = 10});
  const auto first = by_records({.table_name = "Music", .key = kSong});
  ASSERT_TRUE(first);
  EXPECT_THAT(first->changes, IsEmpty());
  EXPECT_TRUE(first->next);
  EXPECT_EQ(first->reached, then + seconds(40) + milliseconds(1));
  EXPECT_EQ(HistoryReader::all(by_records, {.table_name = "Music", .key = kSong}, [] { return 100; }).size(),
            1U);
  const auto [found, pages] = by_records.as_of(kSong, then);
  EXPECT_EQ(found.item, item(R"({pk: "p", sk: 1, x: "a"})"));
  EXPECT_EQ(pages, 5);
  const SmallPages by_bytes(db_, clock_, {.bytes_max = 1});
  EXPECT_TRUE(by_bytes({.table_name = "Music", .key = kSong})->next);
  EXPECT_EQ(by_bytes.as_of(kSong, then).second, 50);
}

TEST_P(ItemHistory, APageShowsAMegabyte) {
  switch_on();
  for (int i = 0; i < 6; ++i) put("{pk: \"p\", sk: 1, n: " + std::to_string(i) + ", x: \"x\"*300000}");
  const auto page = db_->item_history({.table_name = "Music", .key = kSong});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->changes.size(), 4U);
  EXPECT_TRUE(page->next);
  EXPECT_EQ(versions("Music", kSong).size(), 6U);
}

// ---- A random history ----

class RandomHistory {
 public:
  RandomHistory(TestDatabase& db, TestClock& clock, unsigned seed) : db_(db), clock_(clock), random_(seed) {}

  unsigned below(unsigned end) { return std::uniform_int_distribution<unsigned>(0, end - 1)(random_); }
  PackedItem random_key() {
    return *pack({{"pk", "p" + std::to_string(below(4))}, {"sk", static_cast<int>(below(3))}});
  }

  void step(const std::string& table) {
    clock_.advance(milliseconds(below(3) == 0 ? 0 : below(500)));
    const PackedItem key = random_key();
    switch (below(5)) {
      case 0:
        return remove(table, key);
      case 1:
        return transact(table);
      default:
        return put(table, key);
    }
  }
  std::map<std::string, std::vector<Version>> versions;  // by key, oldest first
  std::map<std::string, std::optional<PackedItem>> items;

  std::optional<PackedItem> at(const PackedItem& key, WallTime moment) const {
    std::optional<PackedItem> found;
    if (const auto start = starts.find(key.bytes()); start != starts.end()) found = start->second;
    if (const auto all = versions.find(key.bytes()); all != versions.end()) {
      for (const Version& version : all->second) {
        if (version.at <= moment) found = version.item;
      }
    }
    return found;
  }
  void begin() {
    versions.clear();
    starts = items;
  }

 private:
  PackedItem item_with(const PackedItem& key) {
    Item item = key.unpack();
    item["x"] = std::to_string(below(4));  // so that some writes change nothing
    if (below(3) == 0) item["a"] = Value(Binary{"b"});
    return *pack(item);
  }
  void note(const PackedItem& key, std::optional<PackedItem> item) {
    std::optional<PackedItem>& now = items[key.bytes()];
    if (now == item) return;
    const ChangeKind kind = !now ? ChangeKind::Insert : item ? ChangeKind::Modify : ChangeKind::Remove;
    versions[key.bytes()].push_back({clock_.now(), kind, ChangedBy::Client, item});
    now = std::move(item);
  }
  void put(const std::string& table, const PackedItem& key) {
    const PackedItem item = item_with(key);
    ASSERT_TRUE(db_->put_item({.table_name = table, .item = item}));
    note(key, item);
  }
  void remove(const std::string& table, const PackedItem& key) {
    ASSERT_TRUE(db_->delete_item({.table_name = table, .key = key}));
    note(key, std::nullopt);
  }
  void transact(const std::string& table) {
    const PackedItem put_key = random_key();
    const PackedItem gone = random_key();
    const PackedItem item = item_with(put_key);
    std::vector<TransactWrite> actions{PutItemRequest{.table_name = table, .item = item}};
    const bool is_two = gone != put_key;
    if (is_two) actions.emplace_back(DeleteItemRequest{.table_name = table, .key = gone});
    ASSERT_TRUE(db_->transact_write_items({.actions = actions}));
    note(put_key, item);
    if (is_two) note(gone, std::nullopt);
  }

  TestDatabase& db_;
  TestClock& clock_;
  std::mt19937 random_;
  std::map<std::string, std::optional<PackedItem>> starts;
};

// Compares everything with the model: pages of any size, and random times.
void expect_history(RandomHistory& model, TestDatabase& db, TestClock& clock, const std::string& table,
                    WallTime since) {
  const auto span = static_cast<unsigned>((clock.now() - since).count()) + 1;
  for (int pk = 0; pk < 4; ++pk) {
    for (int sk = 0; sk < 3; ++sk) {
      const PackedItem key = *pack({{"pk", "p" + std::to_string(pk)}, {"sk", sk}});
      std::vector<Version> expected = model.versions[key.bytes()];
      std::ranges::reverse(expected);
      const auto limit = [&] { return static_cast<int>(1 + model.below(9)); };
      const auto read = [&](const auto& request) { return db->item_history(request); };
      EXPECT_EQ(HistoryReader::all(read, {.table_name = table, .key = key}, limit), expected);
      if (table == "Music") {
        const SmallPages small(db, clock, {.records_max = 7});
        EXPECT_EQ(HistoryReader::all(small, {.table_name = table, .key = key}, limit), expected);
        const WallTime moment = since + milliseconds(model.below(span));
        EXPECT_EQ(small.as_of(key, moment).first.item, model.at(key, moment));
      }
      const WallTime moment = since + milliseconds(model.below(span));
      const auto found = db->item_as_of({.table_name = table, .key = key, .moment = moment});
      ASSERT_TRUE(found) << text_of(found.error());
      EXPECT_EQ(found->item, model.at(key, moment));
    }
  }
}

TEST_P(ItemHistory, RandomWritesAreItsVersions) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TestDatabase db(GetParam(), clock_);
    ASSERT_TRUE(db->create_table(good_table()));
    RandomHistory model(db, clock_, seed);
    for (int i = 0; i < 30; ++i) model.step("Music");
    clock_.advance(milliseconds(1));
    ASSERT_TRUE(db->update_continuous_backups({.table_name = "Music", .enabled = true}));
    const WallTime since = clock_.now();
    model.begin();
    for (int i = 0; i < 300; ++i) model.step("Music");
    expect_history(model, db, clock_, "Music", since);
    if (GetParam() != StoreKind::Memory) db.reopen();
    for (int i = 0; i < 50; ++i) model.step("Music");
    expect_history(model, db, clock_, "Music", since);
    // A restored table has its own history, from the time when recovery is switched on.
    ASSERT_TRUE(db->restore_table_to_point_in_time(
        {.source_table_name = "Music", .target_table_name = "New", .latest = true}));
    ASSERT_TRUE(db->sweep());
    EXPECT_FALSE(db->item_history({.table_name = "New", .key = kSong}));
    ASSERT_TRUE(db->update_continuous_backups({.table_name = "New", .enabled = true}));
    const WallTime restored = clock_.now();
    model.begin();
    clock_.advance(milliseconds(1));
    for (int i = 0; i < 50; ++i) model.step("New");
    expect_history(model, db, clock_, "New", restored);
  }
}

// ---- While others write ----

// Each version is the successor of the one before it, however the pages fall between the writes.
TEST_P(ItemHistory, PagesFitTogetherWhileOthersWrite) {
  switch_on();
  std::atomic<bool> stop = false;
  const auto write = [&](const std::string& sk) {
    for (int i = 1; !stop; ++i) {
      const auto done =
          db_->put_item(engine::put("Music", "{pk: \"p\", sk: " + sk + ", n: " + std::to_string(i) + "}"));
      ASSERT_TRUE(done) << text_of(done.error());
    }
  };
  std::vector<std::jthread> writers;
  for (const char* sk : {"1", "2", "3"}) writers.emplace_back(write, sk);
  const SmallPages small(db_, clock_, {.records_max = 20});
  for (int round = 0; round < 30; ++round) {
    ItemHistoryRequest request{.table_name = "Music", .key = kSong, .limit = 3};
    std::optional<std::int64_t> last;
    for (int page = 0; page < 8; ++page) {
      const auto read = small(request);
      ASSERT_TRUE(read) << text_of(read.error());
      if (!request.before) last = read->item ? read->item->find("n")->number().to_int64() : 0;
      for (const PastChange& change : read->changes) {
        const std::int64_t before = change.before ? *change.before->find("n")->number().to_int64() : 0;
        ASSERT_EQ(before, *last - 1);
        last = before;
      }
      if (!read->next) break;
      request.before = read->next;
    }
  }
  stop = true;
}

// ---- Governed tables ----

constexpr const char* kHistoryDesign = R"yaml(design: 1
name: library
table: { name: library, hash: PK, range: SK }
entities:
  Book:
    key: { PK: BOOK#<book>, SK: META }
    ids: { book: string }
    attributes:
      title: { type: string, required: true, unique: true }
)yaml";

TEST_P(ItemHistory, OfAGovernedTable) {
  const design::Loaded loaded = design::load(kHistoryDesign, "library.yaml");
  ASSERT_TRUE(loaded.design);
  ASSERT_TRUE(db_->create_table(design::table_schema(*loaded.design)));
  const auto governed =
      db_->govern_table({.table_name = "library", .design = kHistoryDesign, .file_name = "library.yaml"});
  ASSERT_TRUE(governed) << text_of(governed.error());
  switch_on("library");
  const auto put_book = [&](const std::string& title) {
    clock_.advance(seconds(1));
    const auto done =
        db_->put_item({.table_name = "library",
                       .item = *pack({{"PK", "BOOK#1"}, {"SK", "META"}, {"book", "1"}, {"title", title}})});
    ASSERT_TRUE(done) << text_of(done.error());
  };
  put_book("Emma");
  put_book("Persuasion");
  const PackedItem key = *pack({{"PK", "BOOK#1"}, {"SK", "META"}});
  const std::vector<Version> found = versions("library", key);
  ASSERT_EQ(found.size(), 2U) << "guards of unique titles are no versions";
  EXPECT_EQ(found[0].item->find("title")->string(), "Persuasion");
  EXPECT_EQ(found[1].item->find("title")->string(), "Emma");
}

}  // namespace
}  // namespace tavola::engine
