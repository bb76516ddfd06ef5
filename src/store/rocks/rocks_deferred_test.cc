// A Deferred store never acknowledges too early, and never after a failed sync.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "store/data_files.h"
#include "store/durable_reads.h"
#include "store/frozen.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/test_faulty_disk.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

Result<void> durable_result(Store& store) {
  std::promise<Result<void>> answer;
  store.when_durable([&](const Result<void>& result) { answer.set_value(result); });
  return answer.get_future().get();
}

class DeferredTest : public FaultyDiskTest {
 protected:
  void SetUp() override {
    FaultyDiskTest::SetUp();
    if (IsSkipped()) return;
    open();
  }
  void open(std::size_t write_buffer_bytes = RocksOptions{}.write_buffer_bytes) {
    store_.reset();
    auto store = open_rocks_on(
        disk_, path_, {.durability = Durability::Deferred, .write_buffer_bytes = write_buffer_bytes});
    ASSERT_TRUE(store.has_value()) << store.error().message();
    store_ = std::move(*store);
  }
  std::string newest_log() const {
    const auto logs = log_files(path_);
    return logs.value().back();
  }

  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "store";
  std::shared_ptr<FaultyDisk> disk_ = std::make_shared<FaultyDisk>();
  std::unique_ptr<Store> store_;
};

TEST_F(DeferredTest, AWriteIsVisibleBeforeItIsDurable) {
  ASSERT_TRUE(write(*store_, {Write::put("a", "the value")}).has_value());
  EXPECT_EQ(*store_->get("a"), "the value");
  EXPECT_FALSE(disk_->state().is_durable("the value"));
  EXPECT_TRUE(durable_result(*store_).has_value());
  EXPECT_TRUE(disk_->state().is_durable("the value"));
}

TEST_F(DeferredTest, AnAnswerIsReadFromTheDurableState) {
  ASSERT_TRUE(write(*store_, {Write::put("a", "old")}).has_value());
  ASSERT_TRUE(durable_result(*store_).has_value());
  std::promise<Result<void>> reported;
  std::future<Result<void>> answer = reported.get_future();
  {
    const MutexLock no_sync(disk_->state().syncs);
    ASSERT_TRUE(write(*store_, {Write::put("a", "new"), Write::put("b", "new")}).has_value());
    store_->when_durable([&](const Result<void>& result) { reported.set_value(result); });
    const DurableReads reads;
    EXPECT_EQ(*store_->get_for_answer("a"), "old");
    EXPECT_EQ(*store_->get_for_answer("b"), std::nullopt);
    EXPECT_EQ(entries_of(*store_->snapshot_for_answer(), {}), (Entries{{"a", "old"}}));
    EXPECT_TRUE(reads.saw_only_durable());
    EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    EXPECT_FALSE(store_->is_durable(store_->position()));
    EXPECT_EQ(*store_->get("a"), "new");
    EXPECT_FALSE(reads.saw_only_durable()) << "a request that looked at the latest state must wait";
    EXPECT_EQ(*store_->get_for_answer("a"), "new") << "and goes on with it";
  }
  EXPECT_TRUE(answer.get().has_value());
  const DurableReads reads;
  EXPECT_EQ(*store_->get_for_answer("a"), "new");
  EXPECT_EQ(*store_->get_for_answer("b"), "new");
  EXPECT_TRUE(reads.saw_only_durable());
}

TEST_F(DeferredTest, WhatDecidesAboutWritesEndsDurableReads) {
  const auto ends = [&](const auto& look) {
    const DurableReads reads;
    look();
    return !reads.saw_only_durable();
  };
  EXPECT_TRUE(ends([&] { static_cast<void>(store_->snapshot()); }));
  EXPECT_TRUE(ends([&] { static_cast<void>(write(*store_, {Write::put("a", "1")})); }));
  EXPECT_TRUE(ends([&] { static_cast<void>(store_->settled("prefix")); }));
  const std::unique_ptr<Store> frozen = freeze(*store_);
  EXPECT_TRUE(ends([&] { static_cast<void>(frozen->get_for_answer("a")); }));
  EXPECT_TRUE(ends([&] { static_cast<void>(frozen->snapshot_for_answer()); }));
  EXPECT_FALSE(ends([&] { static_cast<void>(store_->get_for_answer("a")); }));
}

// During log switches and flushes: reads show only data on disk, and show a write once its writer is answered.
TEST_F(DeferredTest, AnswersShowWhatIsDurableAndAllThatWasAcknowledged) {
  constexpr int kWriters = 2;
  constexpr int kWrites = 300;
  open(65'536);
  const auto key_of = [](int writer, int i) {
    return "<" + std::to_string(writer) + "/" + std::to_string(i) + ">";
  };
  std::atomic<int> missing = 0;
  std::atomic<int> early = 0;
  std::atomic<int> shown = 0;
  std::atomic<int> reported = 0;
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < kWrites; ++i) {
        const std::string key = key_of(writer, i);
        ASSERT_TRUE(write(*store_, {Write::put(key, std::string(1000, 'v'))}).has_value());
        store_->when_durable([&, key](const Result<void>&) {
          const DurableReads reads;
          if (!store_->get_for_answer(key).value()) ++missing;
          ++reported;
        });
      }
    });
  }
  threads.emplace_back([&] {
    for (bool is_over = false; !is_over;) {
      is_over = reported == kWriters * kWrites;  // this is the last pass then, which finds every write
      for (int i = 0; i < kWrites; ++i) {
        const std::string key = key_of(i % kWriters, i);
        const DurableReads reads;
        if (!store_->get_for_answer(key).value()) continue;
        ++shown;
        if (!disk_->state().is_durable(key)) ++early;
      }
    }
  });
  threads.clear();
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(early, 0);
  EXPECT_GT(shown, 0);
}

// A schema is used for a response once its position is durable: the data must not be older.
TEST_F(DeferredTest, WhatHasADurablePositionIsInTheDurableState) {
  constexpr int kWrites = 3000;
  std::vector<Store::Position> positions(kWrites + 1);
  std::atomic<int> last = 0;
  std::atomic<int> older = 0;
  std::atomic<int> found = 0;
  std::jthread reader([&](const std::stop_token& stop) {
    for (bool is_over = false; !is_over;) {
      is_over = stop.stop_requested();  // everything is durable then, and the last pass finds it
      const int number = last;
      if (!store_->is_durable(positions[static_cast<std::size_t>(number)])) continue;
      const DurableReads reads;
      const auto value = store_->get_for_answer("a").value();
      if (std::stoi(value.value_or("0")) < number) ++older;
      ++found;
    }
  });
  for (int i = 1; i <= kWrites; ++i) {
    ASSERT_TRUE(write(*store_, {Write::put("a", std::to_string(i))}).has_value());
    positions[static_cast<std::size_t>(i)] = store_->position();
    last = i;
    ASSERT_TRUE(durable_result(*store_).has_value());
  }
  reader.request_stop();
  reader.join();
  EXPECT_EQ(older, 0);
  EXPECT_GT(found, 0);
}

TEST_F(DeferredTest, NothingIsSyncedTwice) {
  ASSERT_TRUE(write(*store_, {Write::put("a", "1")}).has_value());
  ASSERT_TRUE(durable_result(*store_).has_value());
  disk_->set(Fault::SyncFails);
  EXPECT_TRUE(durable_result(*store_).has_value()) << "all was durable already: there was nothing to sync";
}

// With small buffers the log is switched often, and data is flushed concurrently.
TEST_F(DeferredTest, NobodyIsToldTooEarly) {
  constexpr int kThreads = 4;
  for (const std::size_t buffer : {std::size_t{65'536}, RocksOptions{}.write_buffer_bytes}) {
    open(buffer);
    std::atomic<int> answers = 0;
    std::atomic<int> early = 0;
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 300; ++i) {
          const std::string key = "<" + std::to_string(thread) + "/" + std::to_string(i) + ">";
          ASSERT_TRUE(write(*store_, {Write::put(key, std::string(1000, 'v'))}).has_value());
          store_->when_durable([&, key](const Result<void>& result) {
            if (!result || !disk_->state().is_durable(key)) ++early;
            ++answers;
          });
        }
      });
    }
    threads.clear();
    store_.reset();
    EXPECT_EQ(answers, kThreads * 300);
    EXPECT_EQ(early, 0);
  }
}

TEST_F(DeferredTest, AFailedSyncEndsWritingUntilReopened) {
  const struct {
    Fault fault;
    ErrorCode code;
    std::string message;
  } cases[] = {
      {Fault::SyncFails, ErrorCode::Io,
       "cannot write the files in '" + path_.string() +
           "'; check the disk and open the directory again (IO error: Input/output error)"},
      {Fault::SyncFindsDiskFull, ErrorCode::DiskFull,
       "the disk of '" + path_.string() +
           "' is full, and the latest writes may not be on it; make space and open the directory again"},
  };
  for (const auto& [fault, code, message] : cases) {
    open();
    ASSERT_TRUE(write(*store_, {Write::put("before", "1")}).has_value());
    ASSERT_TRUE(durable_result(*store_).has_value());
    disk_->set(fault);
    const std::string lost = "lost with fault " + std::to_string(static_cast<int>(fault));
    ASSERT_TRUE(write(*store_, {Write::put(lost, "1")}).has_value());
    const auto reported = durable_result(*store_);
    ASSERT_FALSE(reported.has_value());
    EXPECT_EQ(reported.error().code(), code);
    EXPECT_EQ(reported.error().message(), message);
    disk_->set(Fault::None);
    EXPECT_EQ(durable_result(*store_).error().code(), code) << "also those who come later";
    EXPECT_EQ(write(*store_, {Write::put("refused", "1")}).error().code(), code);
    EXPECT_EQ(store_->sync().error().code(), code);
    EXPECT_EQ(store_->trouble().value().message(), message);
    EXPECT_EQ(*store_->get("before"), "1");
    {
      const DurableReads reads;
      EXPECT_EQ(*store_->get_for_answer("before"), "1");
      EXPECT_EQ(*store_->get_for_answer(lost), std::nullopt) << "nobody knows whether it is on the disk";
      EXPECT_TRUE(reads.saw_only_durable());
    }
    open();
    EXPECT_EQ(*store_->get("before"), "1");
    EXPECT_EQ(*store_->get("refused"), std::nullopt);
    ASSERT_TRUE(write(*store_, {Write::put("after", "1")}).has_value());
    EXPECT_TRUE(durable_result(*store_).has_value());
  }
}

// RocksDB syncs a new log's name only after it has flushed the old one.
TEST_F(DeferredTest, ANewLogCanBeFoundWhenItsWritesAreDurable) {
  open(65'536);
  const MutexLock no_data_files(disk_->data_files);
  const std::string first_log = newest_log();
  for (int i = 0; newest_log() == first_log; ++i) {
    const std::string key = "<" + std::to_string(i) + ">";
    ASSERT_TRUE(write(*store_, {Write::put(key, std::string(1000, 'v'))}).has_value());
    ASSERT_TRUE(durable_result(*store_).has_value());
    EXPECT_TRUE(disk_->state().is_durable(key));
  }
}

// A log that cannot be opened is not lost: it is synced when it can be.
TEST_F(DeferredTest, RunningOutOfDescriptorsPasses) {
  open(65'536);
  ASSERT_TRUE(write(*store_, {Write::put("before", "1")}).has_value());
  ASSERT_TRUE(durable_result(*store_).has_value());
  {
    const MutexLock no_data_files(disk_->data_files);
    const std::string first_log = newest_log();
    for (int i = 0; newest_log() == first_log; ++i) {
      ASSERT_TRUE(write(*store_, {Write::put(std::to_string(i), std::string(1000, 'v'))}).has_value());
    }
    disk_->set(Fault::NoDescriptors);
    ASSERT_TRUE(write(*store_, {Write::put("waiting", "<late>")}).has_value());
    for (int tries = 0; tries < 3; ++tries) {
      const auto reported = durable_result(*store_);
      ASSERT_FALSE(reported.has_value());
      EXPECT_EQ(reported.error().code(), ErrorCode::Io);
      EXPECT_THAT(reported.error().message(), testing::HasSubstr("Too many open files"));
      EXPECT_FALSE(disk_->state().is_durable("<late>"));
      EXPECT_EQ(store_->trouble().value().message(), reported.error().message());
    }
    disk_->set(Fault::None);
    ASSERT_TRUE(write(*store_, {Write::put("after", "<later>")}).has_value());
    EXPECT_TRUE(durable_result(*store_).has_value());
    EXPECT_TRUE(disk_->state().is_durable("<late>"));
    EXPECT_TRUE(disk_->state().is_durable("<later>"));
    EXPECT_EQ(store_->trouble(), std::nullopt);
  }
  open();
  EXPECT_EQ(*store_->get("waiting"), "<late>");
}

TEST_F(DeferredTest, AFullDiskRefusesWritesAndKeepsItsWord) {
  std::atomic<int> durable = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(write(*store_, {Write::put("key" + std::to_string(i), "1")}).has_value());
    store_->when_durable([&](const Result<void>& result) { durable += result.has_value() ? 1 : 0; });
  }
  disk_->set(Fault::DiskFull);
  EXPECT_EQ(write(*store_, {Write::put("refused", "1")}).error().code(), ErrorCode::DiskFull);
  EXPECT_TRUE(durable_result(*store_).has_value()) << "what was written before can be synced";
  store_.reset();
  EXPECT_EQ(durable, 10);
  disk_->set(Fault::None);
  open();
  EXPECT_EQ(entries_of(*store_->snapshot(), {}).size(), 10U);
}

}  // namespace
}  // namespace tavola::store
