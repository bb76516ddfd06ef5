// StoreWatch: says in the log when the store stops taking writes, why, and when it takes them again; and knows for /health
// the state that the store reports.
//
// It looks every second, on a thread of its own, and writes a line when something changed, so that a store in trouble is
// reported once and also when nobody writes to it. Callers read memory only, so a hanging disk delays nobody.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tavola/error.h>

#include "base/locks.h"
#include "server/log/log.h"
#include "store/store.h"

namespace tavola::server {

class StoreWatch {
 public:
  // Both must outlive this.
  StoreWatch(store::Store& store, Log& log);
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;

  // As the last look that ended found it: looks are a second apart, and longer when the disk is slow. Never waits for the
  // disk. Thread safety: all methods may be called from any thread.

  // Returns what keeps the store from taking writes; empty if nothing does. A check that takes longer than ten seconds is
  // trouble, too, and is logged here, because the checking thread cannot do it.
  std::string trouble() const;
  // The tables that are getting an index, as far as they could be read.
  std::vector<std::string> builds() const;
  // Why builds() could not be read; empty: it could.
  std::string unread_builds() const;

 private:
  void work(const std::stop_token& stop);
  void look();
  void note_trouble(std::string trouble);
  void note_builds(const Result<std::vector<std::string>>& builds);

  store::Store& store_;
  Log& log_;
  mutable Mutex mutex_;
  std::string trouble_ TAVOLA_GUARDED_BY(mutex_);  // as it was last; empty: none
  std::vector<std::string> builds_ TAVOLA_GUARDED_BY(mutex_);
  std::string unread_builds_ TAVOLA_GUARDED_BY(mutex_);
  mutable bool is_silence_told_ TAVOLA_GUARDED_BY(mutex_) = false;  // in the log
  std::chrono::steady_clock::time_point looked_ TAVOLA_GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
  std::mutex waiting_;
  std::condition_variable_any woken_;
  std::jthread thread_;  // ends first: it uses the others
};

}  // namespace tavola::server
