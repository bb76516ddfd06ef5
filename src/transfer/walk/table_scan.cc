#include "transfer/walk/table_scan.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "base/locks.h"

namespace tavola::transfer {
namespace {

constexpr std::chrono::milliseconds kTick{100};

// The segments that are left, and how the threads fare. Thread safety: all methods.
class SegmentQueue {
 public:
  SegmentQueue(std::vector<std::size_t> segments, std::size_t threads)
      : segments_(std::move(segments)), running_(threads) {}

  std::optional<std::size_t> next() {
    const MutexLock lock(mutex_);
    if (stopping_ || next_ == segments_.size()) return std::nullopt;
    return segments_[next_++];
  }
  bool is_stopping() const { return stopping_; }
  void end_thread(const Result<void>& done) {
    const MutexLock lock(mutex_);
    if (!done && !error_) error_ = done.error();
    if (!done) stopping_ = true;
    --running_;
    changed_.notify_all();
  }
  // Waits for a tick; returns true once every thread has ended.
  bool wait() {
    const MutexLock lock(mutex_);
    if (running_ > 0) changed_.wait_for(mutex_, kTick);
    return running_ == 0;
  }
  Result<void> outcome() {
    const MutexLock lock(mutex_);
    if (error_) return fail(*error_);
    return {};
  }

 private:
  const std::vector<std::size_t> segments_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t next_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::size_t running_ TAVOLA_GUARDED_BY(mutex_);
  std::optional<Error> error_ TAVOLA_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_ = false;
};

Result<SegmentPage> read_page(Database& database, const TableScan& scan, std::size_t segment,
                              const SegmentPlace& place) {
  ScanRequest request{.table_name = scan.table_name,
                      .select = scan.select,
                      .consistent_read = scan.consistent_read,
                      .exclusive_start_key = place.start};
  if (scan.places.size() > 1) {
    request.segment = static_cast<int>(segment);
    request.total_segments = static_cast<int>(scan.places.size());
  }
  TAVOLA_TRY(ScanResponse response, patiently(scan.pause, [&] { return database.scan(request); }));
  SegmentPage page{.segment = segment, .items = std::move(response.items)};
  page.count = static_cast<std::uint64_t>(response.count);
  page.next.is_done = !response.last_evaluated_key.has_value();
  page.next.start = std::move(response.last_evaluated_key);
  return page;
}

Result<void> read_segments(const Side& from, const TableScan& scan, const BeginThread& begin,
                           SegmentQueue& queue) {
  TAVOLA_TRY(const std::shared_ptr<Database> database, from.connect());
  TAVOLA_TRY(const UsePage use, begin());
  while (const auto segment = queue.next()) {
    SegmentPlace place = scan.places[*segment];
    while (!place.is_done && !queue.is_stopping()) {
      TAVOLA_TRY(SegmentPage page, read_page(*database, scan, *segment, place));
      place = page.next;
      TAVOLA_CHECK(use(std::move(page)));
    }
  }
  return {};
}

}  // namespace

Side shared_by_all(Database& database) {
  return {.connect = [&database]() -> Result<std::shared_ptr<Database>> {
    return std::shared_ptr<Database>(std::shared_ptr<void>(), &database);
  }};
}

BeginThread one_at_a_time(UsePage use) {
  struct Shared {
    UsePage use;
    Mutex mutex;
    bool has_failed TAVOLA_GUARDED_BY(mutex) = false;
  };
  const auto shared = std::make_shared<Shared>();
  shared->use = std::move(use);
  return [shared]() -> Result<UsePage> {
    return UsePage([shared](SegmentPage page) -> Result<void> {
      const MutexLock lock(shared->mutex);
      if (shared->has_failed) return {};
      const Result<void> used = shared->use(std::move(page));
      shared->has_failed = !used;
      return used;
    });
  };
}

Result<void> scan_table(const Side& from, const TableScan& scan, const BeginThread& begin) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < scan.places.size(); ++i) {
    if (!scan.places[i].is_done) open.push_back(i);
  }
  if (open.empty()) return {};
  const std::size_t threads_count = std::clamp<std::size_t>(scan.threads, 1, open.size());
  SegmentQueue queue(std::move(open), threads_count);
  std::vector<std::jthread> threads;
  threads.reserve(threads_count);
  for (std::size_t i = 0; i < threads_count; ++i) {
    threads.emplace_back([&] { queue.end_thread(read_segments(from, scan, begin, queue)); });
  }
  while (!queue.wait()) {
    if (scan.tick) scan.tick();
  }
  threads.clear();  // joins them
  return queue.outcome();
}

}  // namespace tavola::transfer
