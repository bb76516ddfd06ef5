#include "server/admin/settable_clock.h"

#include <utility>

namespace tavola::server {
namespace {

thread_local std::optional<WallTime> time_of_request;

constexpr WallTime kEnd = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1);

}  // namespace

WallTime SettableClock::now() const {
  if (time_of_request) return *time_of_request;
  const MutexLock lock(mutex_);
  return set_.value_or(Clock::system().now());
}

void SettableClock::set(WallTime time) {
  const MutexLock lock(mutex_);
  set_ = time;
}

bool SettableClock::advance(std::chrono::milliseconds by) {
  const MutexLock lock(mutex_);
  const WallTime from = set_.value_or(Clock::system().now());
  if (by >= kEnd - from) return false;
  set_ = from + by;
  return true;
}

void SettableClock::release() {
  const MutexLock lock(mutex_);
  set_.reset();
}

bool SettableClock::is_set() const {
  const MutexLock lock(mutex_);
  return set_.has_value();
}

SettableClock::ForRequest::ForRequest(std::optional<WallTime> time)
    : before_(std::exchange(time_of_request, time)) {}

SettableClock::ForRequest::~ForRequest() { time_of_request = before_; }

}  // namespace tavola::server
