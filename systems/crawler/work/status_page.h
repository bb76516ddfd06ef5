// The state of the registry and of the workers of this process: as a page, as JSON, and as metrics for Prometheus.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "work/activity.h"
#include "work/registry.h"

namespace crawler {

struct RunningElsewhere {
  Work work = Work::Crawl;
  std::string domain{};
  std::string since{};
};

// Counts of shops by country and work, at some time.
struct LifecycleCounts {
  std::map<std::pair<std::string, Work>, StateCounts> counts{};
  std::vector<RunningElsewhere> elsewhere{};  // by other processes, the first ones
  std::string at{};
};

// Counts the shops of these countries; countries without any are left out. `activity` knows what this process works on.
tavola::Result<LifecycleCounts> count_lifecycles(const Registry& registry, const Activity& activity,
                                                 const std::vector<std::string>& countries);

// Counts of the outbox of changes; all zero without one.
struct DeliveryCounts {
  std::uint64_t delivered = 0;
  std::uint64_t failed_attempts = 0;
  std::uint64_t waiting = 0;
};

struct StatusView {
  const LifecycleCounts& lifecycle;
  const Activity& activity;
  DeliveryCounts deliveries{};
};

std::string status_html(const StatusView& view);
std::string status_json(const StatusView& view);
std::string status_metrics(const StatusView& view);

}  // namespace crawler
