// The work on one claimed shop, and what the jobs of a worker share.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "web/fetcher.h"
#include "web/host_session.h"
#include "work/activity.h"
#include "work/frontier.h"
#include "work/record.h"
#include "work/registry.h"

namespace crawler {

struct JobLimits {
  std::size_t pages = 10'000;
  unsigned depth = 10;
  std::size_t bytes = std::size_t{2} * 1024 * 1024 * 1024;
  std::size_t page_bytes = std::size_t{4} * 1024 * 1024;
  // Below the two hours after which a claim counts as stuck: a job that still runs must not lose its shop.
  std::chrono::seconds time = std::chrono::hours(1);
};

struct JobOptions {
  JobLimits limits{};
  Politeness politeness{};
  std::string scheme{"https"};  // of the first page; where https cannot be connected to, http is tried
};

// The longest that a job may be allowed: well below the two hours after which the design calls its claim stuck.
inline constexpr std::chrono::minutes kJobTimeMax{110};

// Everything that a job borrows.
struct JobContext {
  Fetcher& fetcher;
  RobotsCache& robots;
  Registry& registry;
  Activity& activity;
  const JobOptions& options;
  const Report& report;  // takes the end of a job, and changes
};

// Thread safety: one thread.
class Job {
 public:
  virtual ~Job() = default;
  virtual void begin() = 0;
  virtual bool is_done() const = 0;  // its claim has ended, too
};

}  // namespace crawler
