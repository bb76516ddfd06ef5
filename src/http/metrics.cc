#include "http/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace tavola::http {
namespace {

void append_integer(std::string& out, auto number) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// In seconds, the unit of Prometheus: "0.0025".
void append_seconds(std::string& out, std::chrono::nanoseconds duration) {
  std::array<char, 32> text{};
  const double seconds = std::chrono::duration<double>(duration).count();
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), seconds).ptr);
}

void append_description(std::string& out, std::string_view name, std::string_view help,
                        std::string_view type) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

// Appends name{labels,more}, as far as given.
void append_name(std::string& out, std::string_view name, std::string_view labels,
                 std::string_view more = {}) {
  out += name;
  if (labels.empty() && more.empty()) return;
  out += '{';
  out += labels;
  if (!labels.empty() && !more.empty()) out += ',';
  out += more;
  out += '}';
}

void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      const Histogram& histogram) {
  const Histogram::Snapshot snapshot = histogram.snapshot();
  const std::string buckets = std::string(name) + "_bucket";
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < snapshot.counts.size(); ++i) {
    std::string bound = "+Inf";
    if (i < Histogram::kBounds.size()) {
      bound.clear();
      append_seconds(bound, Histogram::kBounds[i]);
    }
    below += snapshot.counts[i];
    append_name(out, buckets, labels, label("le", bound));
    out += ' ';
    append_integer(out, below);
    out += '\n';
  }
  append_name(out, std::string(name) + "_sum", labels);
  out += ' ';
  append_seconds(out, snapshot.sum);
  out += '\n';
  append_name(out, std::string(name) + "_count", labels);
  out += ' ';
  append_integer(out, below);
  out += '\n';
}

}  // namespace

std::size_t metric_shard() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t shard = threads.fetch_add(1, std::memory_order_relaxed) % kMetricShards;
  return shard;
}

std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.value.load(std::memory_order_relaxed);
  return sum;
}

void Histogram::observe(std::chrono::nanoseconds duration) {
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), duration);
  Shard& shard = shards_[metric_shard()];
  shard.counts[static_cast<std::size_t>(bound - kBounds.begin())].fetch_add(1, std::memory_order_relaxed);
  shard.sum_ns.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0)),
                         std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::snapshot() const {
  Snapshot snapshot;
  std::uint64_t sum_ns = 0;
  for (const Shard& shard : shards_) {
    for (std::size_t i = 0; i < snapshot.counts.size(); ++i) {
      snapshot.counts[i] += shard.counts[i].load(std::memory_order_relaxed);
    }
    sum_ns += shard.sum_ns.load(std::memory_order_relaxed);
  }
  for (const std::uint64_t count : snapshot.counts) snapshot.count += count;
  snapshot.sum = std::chrono::nanoseconds(sum_ns);
  return snapshot;
}

std::string label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  text += '"';
  return text;
}

void append_metric(std::string& out, const MetricLine& line) {
  append_description(out, line.name, line.help, line.type);
  out.append(line.name).append(" ");
  append_integer(out, line.value);
  out += '\n';
}

// Metrics of one name, in the order they were registered.
struct Metrics::Family {
  std::string name;
  std::string help;
  std::string_view type;
  struct Member {
    std::string labels;
    const Counter* counter = nullptr;
    const Gauge* gauge = nullptr;
    const Histogram* histogram = nullptr;
  };
  std::vector<Member> members;
};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Family& Metrics::family(std::string_view name, std::string_view help, std::string_view type) {
  const auto place =
      std::ranges::find_if(families_, [&](const auto& family) { return family->name == name; });
  if (place != families_.end()) return **place;
  families_.push_back(std::make_unique<Family>(
      Family{.name = std::string(name), .help = std::string(help), .type = type, .members = {}}));
  return *families_.back();
}

Counter& Metrics::counter(std::string_view name, std::string_view help, std::string_view labels) {
  const MutexLock lock(mutex_);
  Counter& counter = counters_.emplace_back();
  family(name, help, "counter").members.push_back({.labels = std::string(labels), .counter = &counter});
  return counter;
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, std::string_view labels) {
  const MutexLock lock(mutex_);
  Gauge& gauge = gauges_.emplace_back();
  family(name, help, "gauge").members.push_back({.labels = std::string(labels), .gauge = &gauge});
  return gauge;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, std::string_view labels) {
  const MutexLock lock(mutex_);
  Histogram& histogram = histograms_.emplace_back();
  family(name, help, "histogram").members.push_back({.labels = std::string(labels), .histogram = &histogram});
  return histogram;
}

void Metrics::also(std::function<void(std::string&)> append) {
  const MutexLock lock(mutex_);
  others_.push_back(std::move(append));
}

std::string Metrics::text() const {
  const MutexLock lock(mutex_);
  std::string out;
  for (const auto& family : families_) {
    append_description(out, family->name, family->help, family->type);
    for (const Family::Member& member : family->members) {
      if (member.histogram != nullptr) {
        append_histogram(out, family->name, member.labels, *member.histogram);
        continue;
      }
      append_name(out, family->name, member.labels);
      out += ' ';
      if (member.counter != nullptr) append_integer(out, member.counter->value());
      if (member.gauge != nullptr) append_integer(out, member.gauge->value());
      out += '\n';
    }
  }
  for (const auto& append : others_) append(out);
  return out;
}

}  // namespace tavola::http
