// `tavola serve --archive-to`: what the designs' retention archives, done once an hour beside the server.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <tavola/database.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "server/log/log.h"
#include "server/v1/served_designs.h"
#include "transfer/archive/destination.h"

namespace tavola::server {

// The first run begins at once. What a run did is one line of the log for each design; a failed run is logged and tried again
// an hour later.
//
// Thread safety: append_metrics() from any thread. The destructor ends a run after the batch it is at.
class HourlyArchive {
 public:
  struct Parts {
    Database& database;
    const ServedDesigns& designs;
    Log& log;
    const Clock& clock;
    std::unique_ptr<transfer::Destination> destination;
    std::function<Result<void>()> settle;  // makes what a run removed durable
  };
  explicit HourlyArchive(Parts parts);
  HourlyArchive(const HourlyArchive&) = delete;
  HourlyArchive& operator=(const HourlyArchive&) = delete;

  void append_metrics(std::string& out) const;

 private:
  void work(const std::stop_token& stop);
  void run_once(const design::Design& design, const std::stop_token& stop);

  const Parts parts_;
  std::atomic<std::uint64_t> archived_items_ = 0;
  std::atomic<std::uint64_t> removed_items_ = 0;
  std::atomic<std::uint64_t> failed_runs_ = 0;
  std::mutex waiting_;
  std::condition_variable_any woken_;
  std::jthread thread_;  // ends first: it uses the others
};

}  // namespace tavola::server
