#include "server/layers/past_views.h"

#include <algorithm>
#include <utility>

namespace tavola::server {

PastViews::PastViews(Database& database, Taken taken, Now now)
    : database_(database), taken_(taken), now_(std::move(now)) {}

PastViews::~PastViews() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  changed_.notify_one();
  if (thread.joinable()) thread.join();
}

PastViews::Moment PastViews::Ring::due(Moment now) const {
  if (views.empty()) return now;
  return views.back().taken + std::max(lag / 4, kPauseMin);
}

void PastViews::keep(const std::vector<std::chrono::milliseconds>& lags) {
  std::vector<Ring> dropped;  // destroyed without the lock
  {
    const MutexLock lock(mutex_);
    dropped = std::exchange(rings_, {});
    for (const std::chrono::milliseconds lag : lags) {
      if (lag.count() <= 0 || std::ranges::find(rings_, lag, &Ring::lag) != rings_.end()) continue;
      const auto before = std::ranges::find(dropped, lag, &Ring::lag);
      rings_.push_back(before == dropped.end() ? Ring{lag, {}} : std::move(*before));
    }
  }
  take_due();
  {
    const MutexLock lock(mutex_);
    if (taken_ == Taken::ByThread && !rings_.empty() && !thread_.joinable())
      thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
}

std::shared_ptr<Database> PastViews::find(std::chrono::milliseconds lag) const {
  const Moment now = now_();
  const MutexLock lock(mutex_);
  const auto ring = std::ranges::find(rings_, lag, &Ring::lag);
  if (ring == rings_.end() || ring->views.empty()) return nullptr;
  const auto old_enough = std::ranges::find_if(ring->views.rbegin(), ring->views.rend(),
                                               [&](const View& view) { return view.taken + lag <= now; });
  return old_enough == ring->views.rend() ? ring->views.front().database : old_enough->database;
}

// The view is taken without the lock: it may wait for a commit, and readers need not.
void PastViews::take_due() {
  const auto is_due = [this](Moment now) {
    const MutexLock lock(mutex_);
    return std::ranges::any_of(rings_, [&](const Ring& ring) { return ring.due(now) <= now; });
  };
  std::shared_ptr<Database> fresh;
  const Moment now = now_();
  if (is_due(now)) {
    // Without a view, readers see the present: a closing database, or no memory.
    if (auto frozen = database_.freeze()) fresh = *std::move(frozen);
  }
  std::vector<View> dropped;  // destroyed without the lock
  const MutexLock lock(mutex_);
  for (Ring& ring : rings_) {
    if (fresh != nullptr && ring.due(now) <= now) ring.views.push_back({now, fresh});
    while (ring.views.size() > 1 && ring.views[1].taken + ring.lag <= now) {
      dropped.push_back(std::move(ring.views.front()));
      ring.views.pop_front();
    }
  }
}

std::size_t PastViews::count() const {
  const MutexLock lock(mutex_);
  std::size_t count = 0;
  for (const Ring& ring : rings_) count += ring.views.size();
  return count;
}

void PastViews::run() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      while (rings_.empty() && !stopping_) changed_.wait(mutex_);
      const Moment now = now_();
      Moment next = Moment::max();
      for (const Ring& ring : rings_) next = std::min(next, ring.due(now + kPauseMin));
      if (next > now && !stopping_) changed_.wait_until(mutex_, next);
      if (stopping_) return;
    }
    take_due();  // only due ones: the thread may wake early
  }
}

}  // namespace tavola::server
