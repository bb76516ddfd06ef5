// Work on all segments of a table, by several threads at once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <tavola/database.h>

#include "base/locks.h"
#include "moving/patience.h"

namespace tavola::moving {

// A source or target of items. A connection to a remote database serves one request at a time: each thread gets its
// own.
struct Side {
  std::string name{};  // for messages
  std::function<Result<std::shared_ptr<Database>>()> connect{};
};

// The databases of one thread.
struct Hands {
  std::shared_ptr<Database> from;
  std::shared_ptr<Database> to;
};

struct WorkOptions {
  std::size_t workers = 4;
  Pause pause{};
  // Called by the waiting thread, some times a second.
  std::function<void()> tick{};
};

// Calls `work` once for each of these segments; the first error ends all, and is the result. `work` checks `stopping`
// between pages.
using SegmentWork =
    std::function<Result<void>(const Hands& hands, std::size_t segment, const std::atomic<bool>& stopping)>;
Result<void> for_each_segment(const Side& from, const Side& to, const std::vector<std::size_t>& segments,
                              const WorkOptions& options, const SegmentWork& work);

}  // namespace tavola::moving
