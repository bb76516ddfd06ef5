// The database as it was a little while ago, for indexes that lag behind (gsi-lag).
//
// While a lag is asked for, a view is taken every quarter of it (Database::freeze), whether or not anybody reads or writes: so the
// past is known when it is asked for. Of each lag about five views are kept, the oldest of which is a quarter of the lag older than
// the lag: nothing is held back from compaction for longer.
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

// Thread safety: all methods. Borrows the database; ends before it, and with it all views.
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

  // From now on there are views for these lags and no others. Those of a lag that was there before stay.
  void keep(const std::vector<std::chrono::milliseconds>& lags);

  // The youngest view that is at least so old. Where the lag was asked for later than that: the view of that moment.
  // Null when the lag is not among those that are kept.
  std::shared_ptr<Database> find(std::chrono::milliseconds lag) const;

  // Takes the views that are due, and drops those that are too old to be asked for.
  void take_due();
  std::size_t count() const;

  // A shorter lag has its views this often.
  static constexpr std::chrono::milliseconds kPauseMin{5};

 private:
  struct View {
    Moment taken;
    std::shared_ptr<Database> database;
  };
  struct Ring {
    std::chrono::milliseconds lag;
    std::deque<View> views;  // the oldest first
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
