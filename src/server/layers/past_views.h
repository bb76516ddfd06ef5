// Views of the database in the recent past, for lagging indexes (gsi-lag).
//
// While a lag is configured, a view is taken every quarter of it (Database::freeze), regardless of reads and writes: so
// the past is available on request. About five views are kept for each lag, the oldest of which is a quarter of the lag
// older than the lag: compaction is held back no longer than that.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <tavola/database.h>

#include "base/locks.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the database; must be destroyed before it, along with all views.
class PastViews {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Now = std::function<Moment()>;
  enum class Taken : std::uint8_t { ByThread, ByHand };

  // ByHand: only keep() and take_due() take views; for tests.
  explicit PastViews(Database& database, Taken taken = Taken::ByThread,
                     Now now = std::chrono::steady_clock::now);
  ~PastViews();
  PastViews(const PastViews&) = delete;
  PastViews& operator=(const PastViews&) = delete;

  // Keeps views for these lags and no others from now on. Existing views of a lag stay.
  void keep(const std::vector<std::chrono::milliseconds>& lags);

  // Returns the youngest view that is at least as old as the lag; if the lag was configured more recently, the first
  // view. Returns null if the lag is not configured.
  std::shared_ptr<Database> find(std::chrono::milliseconds lag) const;

  // Takes the due views, and drops those that are no longer needed.
  void take_due();
  std::size_t count() const;

  // The minimum pause between views, for short lags.
  static constexpr std::chrono::milliseconds kPauseMin{5};

 private:
  struct View {
    Moment taken;
    std::shared_ptr<Database> database;
  };
  struct Ring {
    std::chrono::milliseconds lag;
    std::deque<View> views;  // oldest first
    Moment due(Moment now) const;
  };
  void run();

  Database& database_;
  const Taken taken_;
  const Now now_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Ring> rings_ TAVOLA_GUARDED_BY(mutex_);
  bool stopping_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::thread thread_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server
