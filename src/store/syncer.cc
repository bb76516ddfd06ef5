#include "store/syncer.h"

#include <algorithm>
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
  {
    const MutexLock lock(mutex_);
    waiters_.push_back({position, std::move(done)});
  }
  changed_.notify_one();
}

void Syncer::run() {
  while (true) {
    const std::vector<Waiter> waiters = next_waiters();
    if (waiters.empty()) return;
    serve(waiters);
  }
}

// None when the syncer ends and nobody waits any more.
std::vector<Syncer::Waiter> Syncer::next_waiters() {
  const MutexLock lock(mutex_);
  while (waiters_.empty() && !stopping_) changed_.wait(mutex_);
  return std::exchange(waiters_, {});
}

void Syncer::serve(const std::vector<Waiter>& waiters) {
  const Position needed = std::ranges::max(waiters, {}, &Waiter::position).position;
  const bool syncs = needed > durable_.load(std::memory_order_relaxed);  // this thread alone changes it
  const Position written = log_.written();  // before the sync, which promises nothing of what comes meanwhile
  const Result<void> result = syncs ? log_.sync() : Result<void>{};
  for (const Waiter& waiter : waiters) waiter.done(result);
  if (syncs && result) durable_.store(written, std::memory_order_release);
}

}  // namespace tavola::store
