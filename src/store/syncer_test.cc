// The syncer on a fake log.
#include "store/syncer.h"

#include <algorithm>
#include <future>
#include <new>
#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tavola::store {
namespace {

using testing::Each;
using testing::ElementsAre;

// Thread safety: all methods.
class FakeLog {
 public:
  Syncer::Log log() {
    return {.written = [this] { return written_.load(); }, .sync = [this] { return sync(); }};
  }
  std::uint64_t write() { return ++written_; }
  std::uint64_t synced() const { return synced_; }
  int syncs() const { return syncs_; }

  // Makes a sync wait for let_sync().
  void hold_syncs() { held_ = true; }
  void let_sync() { permits_.release(); }
  void wait_for_sync() { begun_.acquire(); }
  void fail_syncs() { fails_ = true; }
  void lack_memory(bool lacks) { lacks_memory_ = lacks; }

 private:
  Result<void> sync() {
    const std::uint64_t before = written_;
    ++syncs_;
    if (held_) {
      begun_.release();
      permits_.acquire();
    }
    if (lacks_memory_) throw std::bad_alloc();
    if (fails_) return fail(Error(ErrorCode::Io, "the disk is gone"));
    synced_ = before;
    return {};
  }

  std::atomic<std::uint64_t> written_ = 7;
  std::atomic<std::uint64_t> synced_ = 7;
  std::atomic<int> syncs_ = 0;
  std::atomic<bool> held_ = false;
  std::atomic<bool> fails_ = false;
  std::atomic<bool> lacks_memory_ = false;
  std::counting_semaphore<> permits_{0};
  std::counting_semaphore<> begun_{0};
};

void wait_until_durable(Syncer& syncer) {
  std::promise<void> done;
  syncer.when_durable([&](const Result<void>&) { done.set_value(); });
  done.get_future().wait();
}

TEST(Syncer, AnswersAtOnceWhenAllIsDurable) {
  FakeLog log;
  Syncer syncer(log.log());
  std::optional<std::thread::id> answered_by;
  syncer.when_durable([&](const Result<void>& result) {
    EXPECT_TRUE(result.has_value());
    answered_by = std::this_thread::get_id();
  });
  EXPECT_EQ(answered_by, std::this_thread::get_id());
  EXPECT_EQ(log.syncs(), 0);
}

TEST(Syncer, OneSyncServesAllWhoWaitInTheirOrder) {
  FakeLog log;
  std::vector<int> order;
  {
    Syncer syncer(log.log());
    log.hold_syncs();
    for (int i = 0; i < 6; ++i) {
      log.write();
      syncer.when_durable([&order, i](const Result<void>&) { order.push_back(i); });
      if (i == 0) log.wait_for_sync();  // the others arrive while it runs
    }
    log.let_sync();
    log.let_sync();
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(log.syncs(), 2);
}

// A running sync does not cover writes made during it.
TEST(Syncer, AWriteDuringASyncWaitsForTheNext) {
  FakeLog log;
  Syncer syncer(log.log());
  log.hold_syncs();
  log.write();
  std::atomic<bool> first = false;
  std::promise<std::uint64_t> second;
  syncer.when_durable([&](const Result<void>&) { first = true; });
  log.wait_for_sync();
  const std::uint64_t position = log.write();
  syncer.when_durable([&](const Result<void>&) { second.set_value(log.synced()); });
  log.let_sync();
  log.wait_for_sync();
  EXPECT_TRUE(first);
  log.let_sync();
  EXPECT_GE(second.get_future().get(), position);
  EXPECT_EQ(log.syncs(), 2);
}

TEST(Syncer, NobodyOvertakesOneWhoWaits) {
  FakeLog log;
  Syncer syncer(log.log());
  for (int i = 0; i < 2000; ++i) {
    std::atomic<bool> first = false;
    std::promise<bool> first_was_first;
    log.write();
    syncer.when_durable([&](const Result<void>&) { first = true; });
    syncer.when_durable([&](const Result<void>&) { first_was_first.set_value(first); });
    ASSERT_TRUE(first_was_first.get_future().get());
  }
}

TEST(Syncer, AFailureReachesAllWhoWaitAndAllWhoCome) {
  FakeLog log;
  Syncer syncer(log.log());
  log.write();
  wait_until_durable(syncer);
  log.fail_syncs();
  for (int i = 0; i < 3; ++i) {
    if (i == 0) log.write();
    std::promise<Result<void>> answer;
    syncer.when_durable([&](const Result<void>& result) { answer.set_value(result); });
    const Result<void> result = answer.get_future().get();
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().message(), "the disk is gone");
  }
}

// Background work writes and does not wait.
TEST(Syncer, WhatNobodyWaitsForIsSyncedToo) {
  FakeLog log;
  const Syncer syncer(log.log());
  log.hold_syncs();
  const std::uint64_t position = log.write();
  log.wait_for_sync();
  log.let_sync();
  while (log.synced() < position) std::this_thread::yield();
  EXPECT_EQ(log.syncs(), 1);
}

TEST(Syncer, ALackOfMemoryPasses) {
  FakeLog log;
  Syncer syncer(log.log());
  for (const bool lacks : {true, false}) {
    log.lack_memory(lacks);
    log.write();
    std::promise<Result<void>> answer;
    syncer.when_durable([&](const Result<void>& result) { answer.set_value(result); });
    EXPECT_EQ(answer.get_future().get().has_value(), !lacks);
  }
}

TEST(Syncer, TheEndAnswersAllWhoWait) {
  FakeLog log;
  int answered = 0;
  std::uint64_t position = 0;
  {
    Syncer syncer(log.log());
    for (int i = 0; i < 100; ++i) {
      position = log.write();
      syncer.when_durable([&](const Result<void>& result) { answered += result.has_value() ? 1 : 0; });
    }
  }
  EXPECT_EQ(answered, 100);
  EXPECT_EQ(log.synced(), position);
}

TEST(Syncer, AnAnswerMayAskAgain) {
  FakeLog log;
  std::promise<void> done;
  Syncer syncer(log.log());
  log.write();
  syncer.when_durable([&](const Result<void>&) {
    log.write();
    syncer.when_durable([&](const Result<void>&) { done.set_value(); });
  });
  done.get_future().wait();
}

TEST(Syncer, AnAnswerThatThrowsEndsNothing) {
  FakeLog log;
  Syncer syncer(log.log());
  log.write();
  syncer.when_durable([](const Result<void>&) { throw std::bad_alloc(); });
  log.write();
  wait_until_durable(syncer);
  log.write();
  wait_until_durable(syncer);
  EXPECT_EQ(log.synced(), log.write() - 1);
}

TEST(Syncer, ManyThreadsAreAnsweredOnceAndNeverEarly) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 2000;
  FakeLog log;
  std::vector<std::vector<char>> durable(kThreads, std::vector<char>(kWrites));
  std::atomic<int> answers = 0;
  {
    Syncer syncer(log.log());
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < kWrites; ++i) {
          const std::uint64_t position = log.write();
          syncer.when_durable([&, position, thread, i](const Result<void>&) {
            durable[thread][i] = log.synced() >= position ? 1 : 0;
            ++answers;
          });
        }
      });
    }
  }
  EXPECT_EQ(answers, kThreads * kWrites);
  for (const auto& of_thread : durable) EXPECT_THAT(of_thread, Each(1));
}

}  // namespace
}  // namespace tavola::store
