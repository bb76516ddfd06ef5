// Delayed tasks, on a separate thread: a late response delays no other one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "base/locks.h"

namespace tavola::server {

// Thread safety: after() from any thread. The thread starts with the first task. The destructor performs the waiting
// tasks at once, so that every request gets its response.
class Delays {
 public:
  Delays() = default;
  ~Delays();
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;

  void after(std::chrono::milliseconds delay, std::function<void()> task);

 private:
  using Moment = std::chrono::steady_clock::time_point;
  void run();
  // Waits for due tasks; returns none at the end.
  std::vector<std::function<void()>> next_due();

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::multimap<Moment, std::function<void()>> waiting_ TAVOLA_GUARDED_BY(mutex_);
  bool stopping_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::thread thread_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server
