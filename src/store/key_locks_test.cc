// Mutual exclusion of transactions. With Refuse a test need not wait to see that a lock is held.
#include "store/key_locks.h"

#include <atomic>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace tavola::store {
namespace {

constexpr const char* kCatalog = "catalog";
constexpr std::chrono::milliseconds kWhile{20};  // longer than a transaction retries before it is refused

// Another key on the same stripe as `key`.
std::string neighbour_of(std::string_view key) {
  for (int i = 0;; ++i) {
    std::string other = "neighbour" + std::to_string(i);
    if (KeyLocks::stripe_of(other) == KeyLocks::stripe_of(key)) return other;
  }
}

class KeyLocksTest : public testing::Test {
 protected:
  // Tries to lock in another thread while this one holds its locks; returns the key that was refused, if any.
  std::optional<std::size_t> refused_key(const std::vector<std::string>& keys,
                                         const std::vector<std::string>& guards) {
    return std::async(std::launch::async,
                      [&]() -> std::optional<std::size_t> {
                        const auto held = hold(keys, guards);
                        if (held) return std::nullopt;
                        EXPECT_EQ(held.error().code(), ErrorCode::TransactionConflict);
                        const auto* conflict = held.error().detail<Conflict>();
                        EXPECT_NE(conflict, nullptr);
                        return conflict == nullptr ? 0 : conflict->key;
                      })
        .get();
  }
  // Returns whether another thread waits for `mine`, which is released here, and then gets its locks.
  bool waits_for(std::unique_ptr<Result<KeyLocks::Held>> mine, const std::vector<std::string>& keys,
                 const std::vector<std::string>& guards) {
    auto other = std::async(std::launch::async, [&] { return hold(keys, guards).has_value(); });
    const bool waits = other.wait_for(kWhile) == std::future_status::timeout;
    mine.reset();
    return other.get() && waits;
  }
  std::unique_ptr<Result<KeyLocks::Held>> held(const std::vector<std::string>& keys,
                                               const std::vector<std::string>& guards) {
    return std::make_unique<Result<KeyLocks::Held>>(hold(keys, guards));
  }
  Result<KeyLocks::Held> hold(const std::vector<std::string>& keys, const std::vector<std::string>& guards) {
    std::vector<Guard> named;
    named.reserve(guards.size());
    for (const std::string& guard : guards) named.push_back({guard, "1"});
    return locks_.hold(keys, named, Contention::Refuse);
  }

  KeyLocks locks_;
};

TEST_F(KeyLocksTest, AKeyIsHeldByOne) {
  const auto held = hold({"a", "b"}, {});
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(refused_key({"x", "b"}, {}), 1U);
  EXPECT_EQ(refused_key({"a"}, {}), 0U);
  EXPECT_EQ(refused_key({"x", "y"}, {}), std::nullopt);
}

TEST_F(KeyLocksTest, WhatWasRefusedHoldsNothing) {
  {
    const auto held = hold({"b"}, {});
    EXPECT_NE(refused_key({"a", "b", "c"}, {kCatalog}), std::nullopt);
    EXPECT_EQ(refused_key({"a", "c"}, {}), std::nullopt);
  }
  EXPECT_EQ(refused_key({"a", "b", "c"}, {kCatalog}), std::nullopt);
  EXPECT_EQ(refused_key({kCatalog}, {}), std::nullopt);
}

TEST_F(KeyLocksTest, GuardsShareAndExcludeWhoeverChangesThem) {
  EXPECT_TRUE(waits_for(held({"a"}, {kCatalog}), {"b", kCatalog}, {}));
  EXPECT_TRUE(waits_for(held({"a"}, {kCatalog}), {kCatalog}, {kCatalog}));
  const auto mine = hold({"a"}, {kCatalog});
  EXPECT_EQ(refused_key({"b"}, {kCatalog}), std::nullopt);
}

// Even if the key was never guarded before.
TEST_F(KeyLocksTest, AChangeExcludesTheGuard) {
  EXPECT_TRUE(waits_for(held({kCatalog}, {}), {"a"}, {kCatalog}));
}

TEST_F(KeyLocksTest, OneMayChangeWhatItGuards) {
  EXPECT_TRUE(hold({kCatalog, "a", kCatalog}, {kCatalog, kCatalog}).has_value());
  EXPECT_TRUE(hold({kCatalog}, {kCatalog}).has_value());
}

// One key in some thousands maps to the stripe of its table's guard.
TEST_F(KeyLocksTest, AKeyOnTheStripeOfAGuardDoesNotStopTheTable) {
  const std::string neighbour = neighbour_of(kCatalog);
  {
    const auto mine = hold({"a"}, {kCatalog});
    EXPECT_EQ(refused_key({neighbour}, {kCatalog}), std::nullopt);
  }
  EXPECT_TRUE(waits_for(held({"a"}, {kCatalog}), {kCatalog}, {}));
}

TEST_F(KeyLocksTest, GuardsOnOneStripeBothExclude) {
  const std::string neighbour = neighbour_of(kCatalog);
  EXPECT_TRUE(waits_for(held({"a"}, {kCatalog, neighbour}), {neighbour}, {}));
  EXPECT_TRUE(waits_for(held({"a"}, {kCatalog, neighbour}), {kCatalog}, {}));
}

// Two transactions without a common key never conflict, however many keys they have: the stripes of a hundred keys
// nearly always overlap with those of a hundred others.
TEST_F(KeyLocksTest, ANeighbourIsWaitedForAndNotRefused) {
  EXPECT_TRUE(waits_for(held({"a"}, {}), {neighbour_of("a")}, {}));
}

// Two threads that guard a key for the first time, concurrently, guard one key.
TEST_F(KeyLocksTest, AGuardThatTwoAnnounceIsOne) {
  const std::string neighbour = neighbour_of(kCatalog);
  const Guard guard{kCatalog, "1"};
  for (int round = 0; round < 20; ++round) {
    KeyLocks locks;
    {
      std::atomic<int> about_to_guard = 0;
      const auto guards = [&] {
        ++about_to_guard;
        EXPECT_TRUE(locks.hold({}, std::span(&guard, 1), Contention::Wait).has_value());
      };
      auto held = std::make_unique<Result<KeyLocks::Held>>(
          locks.hold(std::span(&neighbour, 1), {}, Contention::Wait));
      const std::jthread one(guards);
      const std::jthread other(guards);
      while (about_to_guard < 2) std::this_thread::yield();
      for (int i = 0; i < 100; ++i) std::this_thread::yield();  // now both usually wait for the stripe
      held.reset();
    }
    std::future<bool> beside;  // ends after `held`
    const auto held = locks.hold({}, std::span(&guard, 1), Contention::Wait);
    beside = std::async(std::launch::async, [&] {
      return locks.hold(std::span(&neighbour, 1), {}, Contention::Wait).has_value();
    });
    ASSERT_EQ(beside.wait_for(std::chrono::seconds(10)), std::future_status::ready) << "in round " << round;
  }
}

}  // namespace
}  // namespace tavola::store
