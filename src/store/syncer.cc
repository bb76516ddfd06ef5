#include "store/syncer.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tavola::store {

Syncer::Syncer(Log log) : log_(std::move(log)), durable_(log_.written()), thread_([this] { run(); }) {}

Syncer::~Syncer() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Syncer::when_durable(Done done) {
  const Position position = log_.written();
  if (durable_.load(std::memory_order_acquire) >= position) {
    done({});
    return;
  }
  bool is_enough = false;
  {
    const MutexLock lock(mutex_);
    waiters_.push_back({position, std::move(done)});
    is_enough = waiters_.size() >= expected_;
  }
  if (is_enough) changed_.notify_one();
}

void Syncer::run() {
  std::size_t answered = 0;
  while (true) {
    const std::optional<std::vector<Waiter>> waiters = next_waiters(answered);
    if (!waiters) return;
    serve(*waiters);
    answered = waiters->size();
  }
}

// Returns nullopt if the syncer ends and nothing waits any more. Writes of background work, for which nothing waits,
// are synced after a second.
std::optional<std::vector<Syncer::Waiter>> Syncer::next_waiters(std::size_t answered) {
  constexpr std::chrono::seconds kUnsyncedTimeMax{1};
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  const MutexLock lock(mutex_);
  expected_ = waiters_.size() + answered;
  while (waiters_.size() < expected_ && !stopping_) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  expected_ = 1;
  while (waiters_.empty() && !stopping_) {
    const bool is_time = changed_.wait_for(mutex_, kUnsyncedTimeMax) == std::cv_status::timeout;
    if (is_time && log_.written() > durable_.load(std::memory_order_relaxed)) break;
  }
  if (waiters_.empty() && stopping_) return std::nullopt;
  return std::exchange(waiters_, {});
}

namespace {

// The failure of one callback affects neither the others nor the store.
void answer(const Syncer::Done& done, const Result<void>& result) {
  try {
    done(result);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// A lack of memory is an error of this sync. The next one tries again.
Result<void> sync(const Syncer::Log& log) {
  try {
    return log.sync();
  } catch (const std::bad_alloc&) {
    return fail(Error(ErrorCode::Io, "not enough memory to sync the log; the writes will be synced later"));
  }
}

}  // namespace

void Syncer::serve(const std::vector<Waiter>& waiters) {
  const Position written = log_.written();  // before the sync, which does not cover later writes
  const Position needed =
      waiters.empty() ? written : std::ranges::max(waiters, {}, &Waiter::position).position;
  const bool syncs = needed > durable_.load(std::memory_order_relaxed);  // only this thread changes it
  const auto begin = std::chrono::steady_clock::now();
  const Result<void> result = syncs ? sync(log_) : Result<void>{};
  // Bounded, so that one slow sync does not delay all later ones.
  constexpr std::chrono::steady_clock::duration kPatienceMax = std::chrono::milliseconds(20);
  patience_ = std::min(kPatienceMax, (std::chrono::steady_clock::now() - begin) / 2);
  for (const Waiter& waiter : waiters) answer(waiter.done, result);
  if (syncs && result) durable_.store(written, std::memory_order_release);
}

}  // namespace tavola::store
