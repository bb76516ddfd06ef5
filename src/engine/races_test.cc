// Concurrent changes between two steps of a request: a store that lets a test intervene there.
#include <functional>
#include <utility>

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

using testing::HasSubstr;

// Calls that happen once, at a chosen step.
struct Hooks {
  std::function<void()> after_record{};  // after a table's record was read
  std::function<void()> after_transaction{};
};

void happen(std::function<void()>& hook) {
  if (const auto once = std::exchange(hook, {})) once();
}

class HookedSnapshot final : public store::Snapshot {
 public:
  HookedSnapshot(std::unique_ptr<store::Snapshot> snapshot, Hooks& hooks)
      : snapshot_(std::move(snapshot)), hooks_(hooks) {}
  Result<std::optional<std::string>> get(std::string_view key) const override {
    Result<std::optional<std::string>> value = snapshot_->get(key);
    if (key.starts_with(catalog_key(""))) happen(hooks_.after_record);
    return value;
  }
  std::unique_ptr<store::Cursor> range(const store::KeyRange& range,
                                       store::Direction direction) const override {
    return snapshot_->range(range, direction);
  }

 private:
  std::unique_ptr<store::Snapshot> snapshot_;
  Hooks& hooks_;
};

// One store for several engines.
class HookedStore final : public store::Store {
 public:
  HookedStore(store::Store& store, Hooks& hooks) : store_(store), hooks_(hooks) {}
  Result<std::optional<std::string>> get(std::string_view key) const override {
    Result<std::optional<std::string>> value = store_.get(key);
    if (key.starts_with(catalog_key(""))) happen(hooks_.after_record);
    return value;
  }
  std::unique_ptr<store::Snapshot> snapshot() const override {
    return std::make_unique<HookedSnapshot>(store_.snapshot(), hooks_);
  }
  Result<void> transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                        const store::WriteRule& rule, store::Contention contention) override {
    Result<void> done = store_.transact(keys, guards, rule, contention);
    happen(hooks_.after_transaction);
    return done;
  }
  Result<std::uint64_t> settled(std::string_view prefix) override { return store_.settled(prefix); }
  void when_durable(std::function<void(Result<void>)> done) override { store_.when_durable(std::move(done)); }
  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return store_.checkpoint(directory);
  }
  Result<void> sync() override { return store_.sync(); }

 private:
  store::Store& store_;
  Hooks& hooks_;
};

std::string design_with(const std::string& index, const std::string& pages_min) {
  return R"yaml(design: 1
name: library
table: { name: library, hash: PK, range: SK }
)yaml" + (index.empty() ? "" : "indexes:\n  " + index + ": { hash: shelfKey, range: SK, project: all }\n") +
         R"yaml(entities:
  Book:
    key: { PK: BOOK#<book>, SK: META }
    ids: { book: string }
)yaml" + (index.empty() ? "" : "    index: { " + index + ": { hash: SHELF#<shelf>, range: META } }\n") +
         R"yaml(    attributes:
      shelf: string
      pages: { type: integer, min: )yaml" +
         pages_min + " }\n" +
         (index.empty() ? ""
                        : "patterns:\n  onShelf: { query: Book, via: " + index + ", hash: SHELF#<shelf> }\n");
}

class Races : public testing::Test {
 protected:
  Races()
      : store_(store::open_memory()),
        slow_(std::make_unique<HookedStore>(*store_, hooks_), clock_),
        quick_(std::make_unique<HookedStore>(*store_, no_hooks_), clock_) {
    const design::Loaded loaded = design::load(design_with("byShelf", "1"), "library.yaml");
    EXPECT_TRUE(loaded.design);
    EXPECT_TRUE(quick_.create_table(design::table_schema(*loaded.design)));
  }

  static std::string govern(Engine& engine, const std::string& design) {
    const auto done =
        engine.govern_table({.table_name = "library", .design = design, .file_name = "library.yaml"});
    return done ? "governed" : text_of(done.error());
  }
  static std::string put_pages(Engine& engine, int pages) {
    const auto done = engine.put_item(
        {.table_name = "library", .item = *pack({{"PK", "BOOK#1"}, {"SK", "META"}, {"pages", pages}})});
    return done ? "put" : text_of(done.error());
  }

  TestClock clock_;
  Hooks hooks_;
  Hooks no_hooks_;
  std::unique_ptr<store::Store> store_;
  Engine slow_;
  Engine quick_;
};

TEST_F(Races, ADesignIsNotKeptUnderTheNameOfAnother) {
  const std::string lax = design_with("byShelf", "1");
  const std::string strict = design_with("byShelf", "100");
  ASSERT_EQ(govern(quick_, lax), "governed");
  // The first lookup falls between the two designs, and another request has already seen the second one.
  hooks_.after_record = [&] {
    EXPECT_EQ(govern(slow_, strict), "governed");
    EXPECT_TRUE(slow_.describe_table({"library"}));
  };
  EXPECT_THAT(put_pages(slow_, 5), HasSubstr("must be ≥ 100"));
  ASSERT_EQ(govern(slow_, lax), "governed");
  EXPECT_EQ(put_pages(slow_, 5), "put");
}

TEST_F(Races, ATableThatIsDeletedAtThatMomentIsNotThere) {
  ASSERT_EQ(govern(quick_, design_with("byShelf", "1")), "governed");
  hooks_.after_record = [&] { EXPECT_TRUE(quick_.delete_table({"library"})); };
  EXPECT_THAT(put_pages(slow_, 5), HasSubstr("ResourceNotFoundException"));
}

// After the deletion is in the store, and before anybody was notified.
TEST_F(Races, WhoReadsWhileATableGoesDoesNotFindItEmpty) {
  ASSERT_EQ(put_pages(slow_, 5), "put");
  const GetItemRequest get{.table_name = "library", .key = *pack({{"PK", "BOOK#1"}, {"SK", "META"}})};
  ASSERT_TRUE(slow_.get_item(get)->item);
  std::string seen;
  hooks_.after_transaction = [&] {
    const auto got = slow_.get_item(get);
    seen = got ? "an answer" : text_of(got.error());
  };
  ASSERT_TRUE(slow_.delete_table({"library"}));
  EXPECT_THAT(seen, HasSubstr("ResourceNotFoundException"));
}

TEST_F(Races, WhoReadsWhileAnIndexGoesDoesNotFindItEmpty) {
  ASSERT_TRUE(slow_.put_item(
      {.table_name = "library", .item = *pack({{"PK", "BOOK#1"}, {"SK", "META"}, {"shelfKey", "SHELF#a"}})}));
  const QueryRequest query{.table_name = "library",
                           .index_name = "byShelf",
                           .key_condition_expression = "shelfKey = :s",
                           .values = *pack({{":s", "SHELF#a"}})};
  ASSERT_EQ(slow_.query(query)->items.size(), 1U);
  std::string seen;
  hooks_.after_transaction = [&] {
    const auto got = slow_.query(query);
    seen = got ? "an answer" : text_of(got.error());
  };
  ASSERT_TRUE(slow_.update_table({.table_name = "library", .deleted_indexes = {"byShelf"}}));
  EXPECT_THAT(seen, HasSubstr("does not have the specified index"));
}

TEST_F(Races, WhatChangesBeforeItExpiresIsNotCounted) {
  const auto put_due = [&](Engine& engine, int number, std::int64_t seconds) {
    EXPECT_TRUE(engine.put_item(
        {.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", number}, {"expires", seconds}})}));
  };
  ASSERT_TRUE(quick_.create_table(good_table()));
  ASSERT_TRUE(quick_.update_time_to_live({"Music", "expires", true}));
  ASSERT_TRUE(slow_.sweep());
  const std::int64_t now = clock_.seconds();
  for (int i = 0; i < 30; ++i) put_due(quick_, i, now - 100 + i);
  // After the first of them are deleted: twenty-five at once.
  hooks_.after_transaction = [&] { put_due(quick_, 29, now + 1000); };
  ASSERT_TRUE(slow_.sweep());
  EXPECT_EQ(slow_.sweep_totals().expired_items, 29U);
}

TEST_F(Races, AnIndexThatANewDesignNeedsStays) {
  bool is_governed = false;
  hooks_.after_record = [&] {
    is_governed = true;
    EXPECT_EQ(govern(quick_, design_with("byShelf", "1")), "governed");
  };

  const auto updated = slow_.update_table({.table_name = "library", .deleted_indexes = {"byShelf"}});
  EXPECT_TRUE(is_governed);
  ASSERT_FALSE(updated);
  EXPECT_THAT(text_of(updated.error()), HasSubstr("has the index byShelf: it cannot be deleted"));
}

// Its log was trimmed between reading the clock and reading the log.
TEST_F(Races, AMomentThatWasForgottenIsNotRestored) {
  ASSERT_TRUE(quick_.create_table(good_table()));
  ASSERT_TRUE(quick_.update_continuous_backups({.table_name = "Music", .enabled = true}));
  const auto write = [&](std::string_view item) {
    EXPECT_TRUE(quick_.put_item(put("Music", item)));
    clock_.advance(std::chrono::days(5));
  };
  write(R"({pk: "p", sk: 1, x: "first"})");
  const WallTime moment = clock_.now() - std::chrono::days(1);
  write(R"({pk: "p", sk: 1, x: "second"})");
  hooks_.after_transaction = [&] {
    EXPECT_TRUE(
        quick_.update_continuous_backups({.table_name = "Music", .enabled = true, .recovery_days = 1}));
    EXPECT_TRUE(quick_.sweep());
  };
  const auto begun = slow_.restore_table_to_point_in_time(
      {.source_table_name = "Music", .target_table_name = "New", .moment = moment});
  ASSERT_FALSE(begun);
  EXPECT_THAT(text_of(begun.error()), HasSubstr("PointInTimeRecoveryUnavailableException"));
}

}  // namespace
}  // namespace tavola::engine
