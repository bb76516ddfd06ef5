#include "transfer/walk/segments.h"

#include <algorithm>

namespace tavola::transfer {
namespace {

constexpr std::chrono::milliseconds kTick{100};

// Thread safety: all methods.
class Crew {
 public:
  Crew(const std::vector<std::size_t>& segments, std::size_t workers)
      : segments_(segments), at_work_(workers) {}

  std::optional<std::size_t> next() {
    const MutexLock lock(mutex_);
    if (stopping_ || next_ == segments_.size()) return std::nullopt;
    return segments_[next_++];
  }
  void fail_with(Error error) {
    const MutexLock lock(mutex_);
    if (!error_) error_ = std::move(error);
    stopping_ = true;
  }
  void leave() {
    const MutexLock lock(mutex_);
    --at_work_;
    changed_.notify_all();
  }
  // Until everybody has left, or for a moment.
  bool wait() {
    const MutexLock lock(mutex_);
    if (at_work_ > 0) changed_.wait_for(mutex_, kTick);
    return at_work_ == 0;
  }
  Result<void> outcome() {
    const MutexLock lock(mutex_);
    if (error_) return fail(*error_);
    return {};
  }
  const std::atomic<bool>& stopping() const { return stopping_; }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  const std::vector<std::size_t>& segments_;
  std::size_t next_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::size_t at_work_ TAVOLA_GUARDED_BY(mutex_);
  std::optional<Error> error_ TAVOLA_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_ = false;
};

Result<void> work_on(Crew& crew, const Side& from, const Side& to, const SegmentWork& work) {
  Hands hands;
  TAVOLA_TRY(hands.from, from.connect());
  TAVOLA_TRY(hands.to, to.connect());
  while (const auto segment = crew.next()) TAVOLA_CHECK(work(hands, *segment, crew.stopping()));
  return {};
}

}  // namespace

Result<void> for_each_segment(const Side& from, const Side& to, const std::vector<std::size_t>& segments,
                              const WorkOptions& options, const SegmentWork& work) {
  if (segments.empty()) return {};
  const std::size_t workers = std::clamp<std::size_t>(options.workers, 1, segments.size());
  Crew crew(segments, workers);
  std::vector<std::jthread> threads;
  threads.reserve(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      const Result<void> done = work_on(crew, from, to, work);
      if (!done) crew.fail_with(done.error());
      crew.leave();
    });
  }
  while (!crew.wait()) {
    if (options.tick) options.tick();
  }
  threads.clear();  // all have left
  return crew.outcome();
}

}  // namespace tavola::transfer
