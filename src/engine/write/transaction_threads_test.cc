// Concurrent transactions, on both stores: serializable, or refused with a conflict.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::IsEmpty;

constexpr int kAccounts = 6;
constexpr int kThreads = 4;

PackedItem account(int number) { return *pack({{"pk", "account" + std::to_string(number)}}); }

class TransactionThreads : public testing::TestWithParam<StoreKind> {
 protected:
  TransactionThreads() : db_(GetParam()) {
    EXPECT_TRUE(db_->create_table(simple_table("Bank")));
    EXPECT_TRUE(db_->create_table(good_table("Music")));
    for (int i = 0; i < kAccounts; ++i) {
      EXPECT_TRUE(db_->put_item(
          {.table_name = "Bank", .item = *pack({{"pk", "account" + std::to_string(i)}, {"balance", 100}})}));
    }
  }

  // Returns whether it committed. Otherwise another transaction held an item, or a condition failed.
  bool commits(const TransactWriteItemsRequest& request) {
    const auto done = db_->transact_write_items(request);
    if (done) return true;
    const auto* cancelled = done.error().detail<TransactionCancellation>();
    EXPECT_NE(cancelled, nullptr) << text_of(done.error());
    if (cancelled == nullptr) return true;
    for (const CancellationReason& reason : cancelled->reasons) {
      if (reason.code == "TransactionConflict") {
        EXPECT_EQ(reason.message, "Transaction is ongoing for the item");
        ++conflicts_;
      } else {
        EXPECT_TRUE(reason.code == "None" || reason.code == "ConditionalCheckFailed") << reason.code;
      }
    }
    return false;
  }
  static UpdateItemRequest add(int number, int amount) {
    return {.table_name = "Bank",
            .key = account(number),
            .update_expression = "SET balance = balance + :amount",
            .condition_expression = "balance >= :least",
            .values = *pack({{":amount", amount}, {":least", amount < 0 ? -amount : 0}})};
  }
  Number total_seen() {
    TransactGetItemsRequest request;
    for (int i = 0; i < kAccounts; ++i) request.gets.push_back({.table_name = "Bank", .key = account(i)});
    const auto got = db_->transact_get_items(request);
    EXPECT_TRUE(got) << text_of(got.error());
    Number sum = 0;
    for (const auto& one : got->items) {
      const Number balance = one->find("balance")->number();
      EXPECT_FALSE(balance.is_negative());
      sum = *(sum + balance);
    }
    return sum;
  }

  TestDatabase db_;
  std::atomic<int> conflicts_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Engine, TransactionThreads, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// Money moves between few accounts; a reader of all of them in one snapshot always sees the same total.
TEST_P(TransactionThreads, ABankLosesNoMoney) {
  std::atomic<int> running = kThreads;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        unsigned random = static_cast<unsigned>(t) * 7919 + 1;
        for (int done = 0; done < 100;) {
          random = random * 1664525 + 1013904223;
          const int from = static_cast<int>(random >> 8) % kAccounts;
          const int to = (from + 1 + static_cast<int>(random >> 16) % (kAccounts - 1)) % kAccounts;
          const int amount = static_cast<int>(random >> 24) % 40;
          done += commits({.actions = {add(from, -amount), add(to, amount)}}) || amount > 30 ? 1 : 0;
        }
        --running;
      });
    }
    int looks = 0;
    for (; running > 0 || looks < 10; ++looks) ASSERT_EQ(total_seen(), Number(kAccounts * 100));
  }
  EXPECT_EQ(total_seen(), Number(kAccounts * 100));
  db_.expect_consistent("Bank");
}

// Two writers that each read what the other writes: under mere snapshots both could commit.
TEST_P(TransactionThreads, NoWriteSkew) {
  const auto set = [](const std::string& pk, int on) {
    return PutItemRequest{.table_name = "Bank", .item = *pack({{"pk", pk}, {"on", on}})};
  };
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(db_->put_item(set("left", 1)));
    ASSERT_TRUE(db_->put_item(set("right", 1)));
    std::atomic<int> off = 0;
    {
      std::vector<std::jthread> threads;
      for (const std::string mine : {"left", "right"}) {
        threads.emplace_back([this, &off, mine, others = std::string(mine == "left" ? "right" : "left")] {
          UpdateItemRequest switch_off{.table_name = "Bank",
                                       .key = *pack({{"pk", mine}}),
                                       .update_expression = "SET #on = :off",
                                       .names = {{"#on", "on"}},
                                       .values = item("{:off: 0}")};
          ConditionCheck other_is_on{.table_name = "Bank",
                                     .key = *pack({{"pk", others}}),
                                     .condition_expression = "#on = :on",
                                     .names = {{"#on", "on"}},
                                     .values = item("{:on: 1}")};
          if (commits({.actions = {switch_off, other_is_on}})) ++off;
        });
      }
    }
    ASSERT_LE(off, 1) << "both went off though each saw the other on";
  }
}

// A request that is sent many times at once happens once. Later ones get TransactionInProgress, or the result.
TEST_P(TransactionThreads, ATokenCountsOnceAmongMany) {
  for (int round = 0; round < 20; ++round) {
    const TransactWriteItemsRequest request{.actions = {add(0, 1), add(1, 1)},
                                            .client_request_token = "round" + std::to_string(round)};
    std::atomic<int> seen_done = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
          const auto done = db_->transact_write_items(request);
          if (done) {
            ++seen_done;
          } else {
            EXPECT_EQ(
                text_of(done.error()),
                "TransactionInProgressException: Transaction from previous request is still in progress");
          }
        });
      }
    }
    EXPECT_GE(seen_done, 1);
  }
  EXPECT_EQ(total_seen(), Number(kAccounts * 100 + 2 * 20));
}

// Single writes wait for transactions and are never lost between their parts.
TEST_P(TransactionThreads, TransactionsAndSingleWritesTogether) {
  std::atomic<int> committed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) committed += commits({.actions = {add(0, 1), add(1, 1)}}) ? 1 : 0;
      });
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          const auto done = db_->update_item(add(i % 2, 1));
          EXPECT_TRUE(done) << text_of(done.error());
        }
      });
    }
  }
  EXPECT_EQ(total_seen(), Number(kAccounts * 100 + 2 * 100 + 2 * committed));
}

TEST_P(TransactionThreads, TablesComeAndGoUnderTransactionsAndBatches) {
  std::atomic<int> written = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t](const std::stop_token& stop) {
        for (int i = 0; !stop.stop_requested(); ++i) {
          const PackedItem one =
              *pack({{"pk", "p" + std::to_string(t)}, {"sk", i % 30}, {"a", Binary{std::to_string(i)}}});
          const auto expect_done_or_gone = [&](const auto& done) {
            if (done) ++written;
            EXPECT_TRUE(done || done.error().code() == ErrorCode::ResourceNotFound ||
                        done.error().code() == ErrorCode::TransactionCanceled)
                << text_of(done.error());
          };
          if (t % 2 == 0) {
            expect_done_or_gone(db_->transact_write_items(
                {.actions = {PutItemRequest{.table_name = "Music", .item = one}, add(t, 0)},
                 .client_request_token = std::to_string(t) + "-" + std::to_string(i)}));
          } else {
            expect_done_or_gone(
                db_->batch_write_item({.tables = {{"Music", {{BatchWrite::Kind::Put, one}}}}}));
          }
          const auto got = db_->batch_get_item(
              {.tables = {{.table_name = "Music", .keys = {*pack({{"pk", "p"}, {"sk", i % 30}})}}}});
          EXPECT_TRUE(got || got.error().code() == ErrorCode::ResourceNotFound) << text_of(got.error());
        }
      });
    }
    for (int i = 0; i < 20; ++i) {
      const int before = written;
      while (written < before + 20) std::this_thread::yield();
      EXPECT_TRUE(db_->delete_table({"Music"}));
      EXPECT_TRUE(db_->create_table(good_table("Music")));
    }
  }
  db_.expect_consistent("Music");
  ASSERT_TRUE(db_->delete_table({"Music"}));
  ASSERT_TRUE(db_->delete_table({"Bank"}));
  Dump left = db_.leftovers();
  std::erase_if(left, [](const auto& entry) { return entry.first.starts_with('\6'); });  // the tokens
  EXPECT_THAT(left, IsEmpty());
}

}  // namespace
}  // namespace tavola::engine
