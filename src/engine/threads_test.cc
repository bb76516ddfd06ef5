// Concurrent writers and table operations, on both stores.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

class Threads : public testing::TestWithParam<StoreKind> {
 protected:
  Threads() : db_(GetParam()) { EXPECT_TRUE(db_->create_table(good_table("Music"))); }
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Threads, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

constexpr int kWriters = 4;

// Runs `write(writer, round)` in four threads, `rounds` times each.
template <class Write>
void run_writers(int rounds, const Write& write) {
  std::vector<std::jthread> threads;
  threads.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&write, writer, rounds] {
      for (int round = 0; round < rounds; ++round) write(writer, round);
    });
  }
}

TEST_P(Threads, NoUpdateOfOneItemIsLost) {
  run_writers(100, [&](int writer, int) {
    const auto updated =
        db_->update_item({.table_name = "Music",
                          .key = item(R"({pk: "p", sk: 1})"),
                          .update_expression = "ADD n :one SET a = :a",
                          .values = *pack({{":one", 1}, {":a", Binary{std::to_string(writer)}}})});
    EXPECT_TRUE(updated) << updated.error().message();
  });
  const std::vector<PackedItem> stored = db_.scan_all("Music");
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].unpack().at("n"), Value(100 * kWriters));
  db_.expect_consistent("Music");
}

TEST_P(Threads, OnlyOneOfManyConditionalPutsWins) {
  std::atomic<int> won = 0;
  run_writers(50, [&](int writer, int round) {
    const auto put = db_->put_item({.table_name = "Music",
                                    .item = *pack({{"pk", "p"}, {"sk", round}, {"writer", writer}}),
                                    .condition_expression = "attribute_not_exists(pk)"});
    if (put) {
      ++won;
    } else {
      EXPECT_EQ(put.error().code(), ErrorCode::ConditionalCheckFailed);
    }
  });
  EXPECT_EQ(won, 50);
  db_.expect_consistent("Music");
}

// While a table is deleted and created again, writers succeed or get ResourceNotFound; writes to a deleted table
// disappear with it.
TEST_P(Threads, TablesComeAndGoUnderWriters) {
  std::atomic<int> written = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kWriters);
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([&, writer](const std::stop_token& stop) {
        for (int round = 0; !stop.stop_requested(); ++round) {
          const auto put = db_->put_item(
              {.table_name = "Music",
               .item =
                   *pack({{"pk", "p" + std::to_string(writer)}, {"sk", round % 50}, {"a", Binary{"x"}}})});
          if (put) {
            ++written;
          } else {
            EXPECT_EQ(put.error().code(), ErrorCode::ResourceNotFound) << put.error().message();
          }
        }
      });
    }
    for (int i = 0; i < 30; ++i) {
      const int before = written;
      while (written < before + 20) std::this_thread::yield();
      EXPECT_TRUE(db_->delete_table({"Music"}));
      EXPECT_TRUE(db_->create_table(good_table("Music")));
    }
  }
  db_.expect_consistent("Music");
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_THAT(db_.data(), testing::IsEmpty());
}

TEST_P(Threads, TablesChangeUnderWriters) {
  run_writers(100, [&](int writer, int round) {
    if (writer == 0) {
      const auto updated = db_->update_table({.table_name = "Music", .deletion_protection = round % 2 == 0});
      EXPECT_TRUE(updated) << updated.error().message();
      return;
    }
    const auto put = db_->put_item(
        {.table_name = "Music", .item = *pack({{"pk", "p" + std::to_string(writer)}, {"sk", round}})});
    EXPECT_TRUE(put) << put.error().message();
  });
  EXPECT_EQ(db_->describe_table({"Music"})->table.item_count, 100 * (kWriters - 1));
  EXPECT_FALSE(db_->describe_table({"Music"})->table.deletion_protection);
  db_.expect_consistent("Music");
}

TEST_P(Threads, OnlyOneOfManyCreatesWins) {
  std::atomic<int> created = 0;
  run_writers(1, [&](int, int) {
    const auto result = db_->create_table(simple_table("Contested"));
    if (result) {
      ++created;
    } else {
      EXPECT_EQ(result.error().code(), ErrorCode::ResourceInUse);
    }
  });
  EXPECT_EQ(created, 1);
}

TEST_P(Threads, CreatesUpdatesAndDeletesOfOneNameAtOnce) {
  run_writers(50, [&](int writer, int) {
    const auto expect_one_of = [](const auto& result, ErrorCode other) {
      EXPECT_TRUE(result || result.error().code() == other) << result.error().message();
    };
    if (writer == 0) {
      expect_one_of(db_->create_table(good_table("Contested")), ErrorCode::ResourceInUse);
    } else if (writer == 1) {
      expect_one_of(db_->delete_table({"Contested"}), ErrorCode::ResourceNotFound);
    } else if (writer == 2) {
      expect_one_of(db_->update_table({.table_name = "Contested", .table_class = TableClass::Standard}),
                    ErrorCode::ResourceNotFound);
    } else {
      expect_one_of(db_->describe_table({"Contested"}), ErrorCode::ResourceNotFound);
    }
  });
}

TEST_P(Threads, ReadersSeeWholeItemsAndTheirIndexEntries) {
  const std::jthread writer([&](const std::stop_token& stop) {
    for (int round = 0; !stop.stop_requested(); ++round) {
      const Value both = round;
      EXPECT_TRUE(db_->put_item({.table_name = "Music",
                                 .item = *pack({{"pk", "p"},
                                                {"sk", 1},
                                                {"a", Binary{std::to_string(round % 10)}},
                                                {"x", both},
                                                {"y", both}})}));
    }
  });
  for (int i = 0; i < 300; ++i) {
    const auto page = db_->query({.table_name = "Music",
                                  .index_name = "localA",
                                  .key_condition_expression = "pk = :p",
                                  .values = item(R"({:p: "p"})"),
                                  .select = Select::AllAttributes});
    ASSERT_TRUE(page) << page.error().message();
    ASSERT_LE(page->count, 1);
    if (page->count == 1) {
      const Item seen = page->items[0].unpack();
      EXPECT_EQ(seen.at("x"), seen.at("y"));
    }
  }
}

}  // namespace
}  // namespace tavola::engine
