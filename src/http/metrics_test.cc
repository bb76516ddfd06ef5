#include "http/metrics.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tavola::http {
namespace {

using namespace std::chrono_literals;

TEST(Metrics, WritesPrometheusText) {
  Metrics metrics;
  metrics.counter("a_total", "Of a.", label("kind", "x\"y\\z\n")).add(3);
  metrics.gauge("b", "Of b.").set(-2);
  metrics.counter("a_total", "Of a.").add();
  metrics.also([](std::string& out) { append_metric(out, {"c", "Of c.", "gauge", 7}); });
  EXPECT_EQ(metrics.text(),
            "# HELP a_total Of a.\n# TYPE a_total counter\na_total{kind=\"x\\\"y\\\\z\\n\"} 3\na_total 1\n"
            "# HELP b Of b.\n# TYPE b gauge\nb -2\n"
            "# HELP c Of c.\n# TYPE c gauge\nc 7\n");
}

TEST(Metrics, CountsDurationsIntoCumulativeBuckets) {
  Metrics metrics;
  Histogram& histogram = metrics.histogram("t_seconds", "Of t.", label("operation", "GetItem"));
  for (const auto duration : {0ns, 10000ns, 10001ns, 1000000ns, 11000000000ns}) histogram.observe(duration);
  const std::string text = metrics.text();
  for (const std::string_view line :
       {"# TYPE t_seconds histogram\n", "t_seconds_bucket{operation=\"GetItem\",le=\"1e-05\"} 2\n",
        "t_seconds_bucket{operation=\"GetItem\",le=\"2.5e-05\"} 3\n",
        "t_seconds_bucket{operation=\"GetItem\",le=\"0.001\"} 4\n",
        "t_seconds_bucket{operation=\"GetItem\",le=\"10\"} 4\n",
        "t_seconds_bucket{operation=\"GetItem\",le=\"+Inf\"} 5\n",
        "t_seconds_sum{operation=\"GetItem\"} 11.001020001\n",
        "t_seconds_count{operation=\"GetItem\"} 5\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(Metrics, LosesNothingBetweenThreads) {
  Metrics metrics;
  Counter& counter = metrics.counter("n_total", "Of n.");
  Histogram& histogram = metrics.histogram("d_seconds", "Of d.");
  std::vector<std::thread> threads;
  threads.reserve(12);
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 10'000; ++j) {
        counter.add();
        histogram.observe(1ms);
      }
    });
  }
  EXPECT_NE(metrics.text(), "");  // while they run
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 120'000U);
  EXPECT_EQ(histogram.snapshot().count, 120'000U);
  EXPECT_EQ(histogram.snapshot().sum, 120s);
}

}  // namespace
}  // namespace tavola::http
