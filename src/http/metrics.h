// Metrics in Prometheus' text format: counters, gauges and histograms of durations.
//
//   Metrics metrics;
//   Counter& refused = metrics.counter("tavola_refused_total", "Requests refused.");
//   Histogram& gets = metrics.histogram("tavola_request_seconds", "Time to answer.", label("operation", "GetItem"));
//   metrics.also([&](std::string& out) { server->append_metrics(out); });
//   gets.observe(elapsed);   // some nanoseconds: no lock, and threads rarely share a cache line
//   metrics.text();
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/locks.h"

namespace tavola::http {

// Threads write to different copies of a number; readers add them up.
inline constexpr std::size_t kMetricShards = 8;
std::size_t metric_shard();  // of the calling thread

// Thread safety: all methods of Counter, Gauge and Histogram.
class Counter {
 public:
  void add(std::uint64_t amount = 1) {
    shards_[metric_shard()].value.fetch_add(amount, std::memory_order_relaxed);
  }
  std::uint64_t value() const;

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> value = 0;
  };
  std::array<Shard, kMetricShards> shards_;
};

class Gauge {
 public:
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_ = 0;
};

class Histogram {
 public:
  // Upper bounds of the buckets; one more counts longer durations.
  static constexpr std::array<std::chrono::nanoseconds, 19> kBounds = {
      std::chrono::microseconds(10),   std::chrono::microseconds(25),   std::chrono::microseconds(50),
      std::chrono::microseconds(100),  std::chrono::microseconds(250),  std::chrono::microseconds(500),
      std::chrono::milliseconds(1),    std::chrono::microseconds(2500), std::chrono::milliseconds(5),
      std::chrono::milliseconds(10),   std::chrono::milliseconds(25),   std::chrono::milliseconds(50),
      std::chrono::milliseconds(100),  std::chrono::milliseconds(250),  std::chrono::milliseconds(500),
      std::chrono::milliseconds(1000), std::chrono::milliseconds(2500), std::chrono::milliseconds(5000),
      std::chrono::milliseconds(10000)};

  void observe(std::chrono::nanoseconds duration);

  struct Snapshot {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // per bucket, not cumulative
    std::uint64_t count = 0;
    std::chrono::nanoseconds sum{0};
  };
  Snapshot snapshot() const;

 private:
  struct alignas(64) Shard {
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts{};
    std::atomic<std::uint64_t> sum_ns = 0;
  };
  std::array<Shard, kMetricShards> shards_;
};

// name="value", escaped. Labels of one metric are joined with commas.
std::string label(std::string_view name, std::string_view value);

// Appends one metric without labels, with its help and type; `type` is "counter" or "gauge".
struct MetricLine {
  std::string_view name;
  std::string_view help;
  std::string_view type;
  std::uint64_t value;
};
void append_metric(std::string& out, const MetricLine& line);

// Thread safety: all methods. Registered metrics live as long as the Metrics; metrics of one name are a family with one
// help text.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  Counter& counter(std::string_view name, std::string_view help, std::string_view labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, std::string_view labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, std::string_view labels = {});

  // Calls `append` at the end of every text(): for numbers that are counted elsewhere.
  void also(std::function<void(std::string&)> append);

  std::string text() const;

 private:
  struct Family;
  Family& family(std::string_view name, std::string_view help, std::string_view type) TAVOLA_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Family>> families_ TAVOLA_GUARDED_BY(mutex_);
  std::deque<Counter> counters_ TAVOLA_GUARDED_BY(mutex_);
  std::deque<Gauge> gauges_ TAVOLA_GUARDED_BY(mutex_);
  std::deque<Histogram> histograms_ TAVOLA_GUARDED_BY(mutex_);
  std::vector<std::function<void(std::string&)>> others_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::http
