// A database with two tables in which tests run transactions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {

class Transactions : public testing::TestWithParam<StoreKind> {
 protected:
  Transactions() : db_(GetParam(), clock_) {
    EXPECT_TRUE(db_->create_table(good_table("Music")));
    EXPECT_TRUE(db_->create_table(simple_table("Plain")));
  }

  void given(const std::string& table, std::string_view stored) {
    ASSERT_TRUE(db_->put_item({.table_name = table, .item = item(stored)}));
  }
  void expect_done(const TransactWriteItemsRequest& request) {
    const auto done = db_->transact_write_items(request);
    EXPECT_TRUE(done) << text_of(done.error());
    db_.expect_consistent("Music");
    db_.expect_consistent("Plain");
  }
  // The error of a transaction that must fail and change nothing, byte for byte.
  Error refused(const TransactWriteItemsRequest& request) {
    const Dump before = db_.dump();
    const auto done = db_->transact_write_items(request);
    EXPECT_TRUE(db_.dump() == before) << "a transaction that failed left something behind";
    return done ? Error::internal("it succeeded") : done.error();
  }
  std::vector<std::string> reasons(std::vector<TransactWrite> actions) {
    const Error error = refused({.actions = std::move(actions)});
    EXPECT_EQ(error.code(), ErrorCode::TransactionCanceled) << text_of(error);
    return reasons_of(error);
  }
  std::string refusal(std::vector<TransactWrite> actions) {
    return text_of(refused({.actions = std::move(actions)}));
  }
  std::optional<PackedItem> stored(const std::string& table, std::string_view key) {
    auto got = db_->get_item({.table_name = table, .key = item(key)});
    EXPECT_TRUE(got) << text_of(got.error());
    return got ? got->item : std::nullopt;
  }

  TestClock clock_;
  TestDatabase db_;
};

}  // namespace tavola::engine
