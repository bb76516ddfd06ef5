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
#include "transfer/walk/retry.h"

namespace tavola::transfer {

// Where items come from or go to. A remote database answers one request after the other: each thread gets one of its own.
struct Side {
  std::string name{};  // as messages call it
  std::function<Result<std::shared_ptr<Database>>()> connect{};
};

// What one thread works with.
struct Hands {
  std::shared_ptr<Database> from;
  std::shared_ptr<Database> to;
};

struct WorkOptions {
  std::size_t workers = 4;
  Pause pause{};
  // Called by the thread that waits, some times a second.
  std::function<void()> tick{};
};

// Calls `work` for each of these segments, each once; the first error ends all, and is the result. `work` looks at `stopping` between
// pages.
using SegmentWork =
    std::function<Result<void>(const Hands& hands, std::size_t segment, const std::atomic<bool>& stopping)>;
Result<void> for_each_segment(const Side& from, const Side& to, const std::vector<std::size_t>& segments,
                              const WorkOptions& options, const SegmentWork& work);

}  // namespace tavola::transfer
