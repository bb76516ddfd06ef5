#include "transfer/walk/segmented_scan.h"

namespace tavola::transfer {
namespace {

constexpr std::size_t kPagesMax = 8;  // that wait for the reader: a page is 1 MB at most

}  // namespace

SegmentedScan::SegmentedScan(Parts parts) : parts_(std::move(parts)) {
  const MutexLock lock(mutex_);
  for (std::size_t segment = 0; segment < parts_.places.size(); ++segment) {
    if (parts_.places[segment].is_done) continue;
    ++scanning_;
    threads_.emplace_back([this, segment] { scan(segment); });
  }
}

SegmentedScan::~SegmentedScan() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Result<std::optional<SegmentPage>> SegmentedScan::next() {
  std::optional<SegmentPage> page;
  {
    const MutexLock lock(mutex_);
    // What was read before something failed is good: the others bring what they have, and stop.
    while (pages_.empty() && scanning_ > 0) changed_.wait(mutex_);
    if (pages_.empty() && failed_) return fail(*failed_);
    if (pages_.empty()) return page;
    page = std::move(pages_.front());
    pages_.pop_front();
  }
  changed_.notify_all();
  return page;
}

bool SegmentedScan::give(SegmentPage page) {
  {
    const MutexLock lock(mutex_);
    while (pages_.size() >= kPagesMax && !is_ending_) changed_.wait(mutex_);
    if (is_ending_) return false;
    pages_.push_back(std::move(page));
    if (failed_) return false;
  }
  changed_.notify_all();
  return true;
}

void SegmentedScan::scan(std::size_t segment) {
  SegmentPlace place = parts_.places[segment];
  while (!place.is_done) {
    Result<SegmentPage> page = page_of(segment, place);
    if (!page) {
      const MutexLock lock(mutex_);
      if (!failed_) failed_ = page.error();
      break;
    }
    place = page->next;
    if (!give(*std::move(page))) break;
  }
  {
    const MutexLock lock(mutex_);
    --scanning_;
  }
  changed_.notify_all();
}

Result<SegmentPage> SegmentedScan::page_of(std::size_t segment, const SegmentPlace& place) {
  ScanRequest request{.table_name = parts_.table_name, .exclusive_start_key = place.start};
  if (parts_.places.size() > 1) {
    request.segment = static_cast<int>(segment);
    request.total_segments = static_cast<int>(parts_.places.size());
  }
  Patience patience(parts_.pause);
  for (;;) {
    Result<ScanResponse> response = parts_.database.scan(request);
    if (response) {
      SegmentPage page{.segment = segment, .items = std::move(response->items)};
      page.next.is_done = !response->last_evaluated_key.has_value();
      page.next.start = std::move(response->last_evaluated_key);
      return page;
    }
    if (!patience.wait_after(response.error())) return fail(response.error());
  }
}

}  // namespace tavola::transfer
