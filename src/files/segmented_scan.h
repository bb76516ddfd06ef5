// All items of a table, read in concurrent segments; one reader receives the pages, one at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <tavola/database.h>

#include "base/locks.h"
#include "files/patience.h"

namespace tavola::files {

// The position of a segment.
struct SegmentPlace {
  bool is_done = false;
  std::optional<PackedItem> start{};  // ExclusiveStartKey; nullopt: the beginning
  friend bool operator==(const SegmentPlace&, const SegmentPlace&) = default;
};

struct SegmentPage {
  std::size_t segment = 0;
  std::vector<PackedItem> items{};
  SegmentPlace next{};  // the position after this page
};

// Thread safety: next() from one thread at a time.
class SegmentedScan {
 public:
  struct Parts {
    Database& database;
    std::string table_name;
    std::vector<SegmentPlace> places;  // one for each segment, at least 1
    Pause pause = sleep();
  };
  explicit SegmentedScan(Parts parts);
  ~SegmentedScan();
  SegmentedScan(const SegmentedScan&) = delete;
  SegmentedScan& operator=(const SegmentedScan&) = delete;

  // Returns nullopt when all segments are at their end. Fails as Scan does.
  Result<std::optional<SegmentPage>> next();

 private:
  void scan(std::size_t segment);
  Result<SegmentPage> page_of(std::size_t segment, const SegmentPlace& place);
  // Waits for room; returns false if no more pages are wanted.
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

}  // namespace tavola::files
