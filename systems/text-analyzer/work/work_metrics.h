// Counts the work of workers, for Prometheus.
#pragma once

#include <chrono>
#include <cstdint>

#include "http/metrics.h"

namespace tavola::text_analyzer {

// Thread safety: all methods.
class WorkMetrics {
 public:
  explicit WorkMetrics(http::Metrics& metrics);

  void completed() { completed_.add(); }
  void failed() { failed_.add(); }
  void superseded() { superseded_.add(); }
  void taken_over() { taken_over_.add(); }
  void read(std::uint64_t bytes) { bytes_.add(bytes); }

  // A file that is being analysed, for the time of this object.
  class Running {
   public:
    explicit Running(WorkMetrics& metrics) : metrics_(metrics), begun_(std::chrono::steady_clock::now()) {
      metrics_.running_.add(1);
    }
    ~Running() {
      metrics_.running_.add(-1);
      metrics_.durations_.observe(std::chrono::steady_clock::now() - begun_);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    WorkMetrics& metrics_;
    const std::chrono::steady_clock::time_point begun_;
  };

 private:
  http::Counter& completed_;
  http::Counter& failed_;
  http::Counter& superseded_;
  http::Counter& taken_over_;
  http::Counter& bytes_;
  http::Gauge& running_;
  http::Histogram& durations_;
};

}  // namespace tavola::text_analyzer
