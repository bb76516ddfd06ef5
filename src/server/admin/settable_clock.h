// The clock of --test-clock: a test sets and advances the time of the server (clock_page.h).
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "base/locks.h"

namespace tavola::server {

// Shows the time of the machine until it is set. Then it stands still until it is set again, advanced or released, so that a
// test knows the exact times of its writes.
// Thread safety: all methods.
class SettableClock final : public Clock {
 public:
  WallTime now() const override;

  void set(WallTime time);
  // Fails, and changes nothing, if the time would be after the year 9999.
  [[nodiscard]] bool advance(std::chrono::milliseconds by);
  // Shows the time of the machine again.
  void release();
  bool is_set() const;

  // While it exists, now() returns this time on the thread that made it; nullopt: the time of the clock. Every request has one,
  // because a thread that sends an answer may begin the next request before it is done with this one.
  class ForRequest {
   public:
    explicit ForRequest(std::optional<WallTime> time);
    ~ForRequest();
    ForRequest(const ForRequest&) = delete;
    ForRequest& operator=(const ForRequest&) = delete;

   private:
    std::optional<WallTime> before_;
  };

 private:
  mutable Mutex mutex_;
  std::optional<WallTime> set_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server
