// An event that many requests can cause, such as a failing disk or wrong keys: logged at once, then at most once a second, one line
// for each combination of fields, with the number of times it happened since its last line. So the log stays readable, and nobody
// can fill it.
//
//   RepeatedEvent failures(log, LogLevel::Error, "operation failed", later);
//   failures.happened({{"operation", "PutItem"}, {"answer", "..."}});
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/locks.h"
#include "server/log/log.h"

namespace tavola::server {

// Thread safety: happened().
class RepeatedEvent {
 public:
  // Calls a task after a delay, on any thread, or earlier when everything ends.
  using Later = std::function<void(std::chrono::milliseconds, std::function<void()>)>;

  // `log` and what `later` uses must outlive this; tasks given to `later` must have run before this ends.
  RepeatedEvent(Log& log, LogLevel level, std::string event, Later later);
  RepeatedEvent(const RepeatedEvent&) = delete;
  RepeatedEvent& operator=(const RepeatedEvent&) = delete;

  // At most eight combinations of fields are distinguished in a second; a line counts the others.
  void happened(LogFields fields);

 private:
  using Moment = std::chrono::steady_clock::time_point;
  using Fields = std::vector<std::pair<std::string, std::string>>;
  struct Kind {
    Fields fields;
    std::uint64_t count;
  };
  void write_lines() TAVOLA_REQUIRES(mutex_);
  void end_period();

  Log& log_;
  const LogLevel level_;
  const std::string event_;
  const Later later_;
  Mutex mutex_;
  std::vector<Kind> kinds_ TAVOLA_GUARDED_BY(mutex_);   // since the last line
  std::uint64_t others_ TAVOLA_GUARDED_BY(mutex_) = 0;  // of further kinds
  Moment quiet_until_ TAVOLA_GUARDED_BY(mutex_) = Moment();
  bool is_line_due_ TAVOLA_GUARDED_BY(mutex_) = false;  // end_period() will write one
};

}  // namespace tavola::server
