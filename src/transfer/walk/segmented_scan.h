// All items of a table, read in segments side by side; pages come to one reader, one at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <tavola/database.h>

#include "base/locks.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

// How far a segment is.
struct SegmentPlace {
  bool is_done = false;
  std::optional<PackedItem> start{};  // ExclusiveStartKey; nothing: from its beginning
  friend bool operator==(const SegmentPlace&, const SegmentPlace&) = default;
};

struct SegmentPage {
  std::size_t segment = 0;
  std::vector<PackedItem> items{};
  SegmentPlace next{};  // where the segment goes on behind this page
};

// Thread safety: next() from one thread at a time.
class SegmentedScan {
 public:
  struct Parts {
    Database& database;
    std::string table_name;
    std::vector<SegmentPlace> places;  // as many as there are segments, 1 at least
    Pause pause = sleep();
  };
  explicit SegmentedScan(Parts parts);
  ~SegmentedScan();
  SegmentedScan(const SegmentedScan&) = delete;
  SegmentedScan& operator=(const SegmentedScan&) = delete;

  // Nothing when all segments are at their end. Fails as Scan does.
  Result<std::optional<SegmentPage>> next();

 private:
  void scan(std::size_t segment);
  Result<SegmentPage> page_of(std::size_t segment, const SegmentPlace& place);
  // Waits for room; false when no more shall be read.
  bool give(SegmentPage page);

  Parts parts_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<SegmentPage> pages_ TAVOLA_GUARDED_BY(mutex_);
  std::size_t scanning_ TAVOLA_GUARDED_BY(mutex_) = 0;
  bool is_ending_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::optional<Error> failed_ TAVOLA_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace tavola::transfer
