#include "server/console/metrics_answer.h"

#include <gtest/gtest.h>

#include "http/metrics.h"

namespace tavola::server {
namespace {

TEST(MetricsAnswer, IsWhatTheMetricsSay) {
  http::Metrics metrics;
  http::Histogram& gets =
      metrics.histogram("tavola_request_seconds", "Times.", http::label("operation", "GetItem"));
  metrics.histogram("tavola_request_seconds", "Times.", http::label("operation", "PutItem"));
  http::Histogram& songs =
      metrics.histogram("tavola_design_request_seconds", "Times.",
                        http::label("design", "music") + "," + http::label("name", "songsOf"));
  metrics.counter("tavola_errors_total", "Errors.", http::label("operation", "GetItem")).add(2);
  metrics.counter("throttled", "Events.", http::label("kind", "read")).add(3);
  metrics.counter("throttled", "Events.", http::label("kind", "write")).add(4);
  metrics.gauge("nothing", "Zero.");
  gets.observe(std::chrono::microseconds(20));
  gets.observe(std::chrono::seconds(20));
  songs.observe(std::chrono::microseconds(1));
  const std::string json =
      metrics_json(metrics.text(), {std::chrono::system_clock::time_point(std::chrono::seconds(7)), 4096});
  EXPECT_TRUE(json.starts_with(R"({"at":7000,"resident":4096,"bounds":[1e-05,2.5e-05,)")) << json;
  const std::string eighteen = ",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
  EXPECT_NE(
      json.find(
          R"("requests":[{"name":"/v1/music/songsOf","count":1,"seconds":1e-06,"errors":0,"buckets":[1)" +
          eighteen + ",1]}"),
      std::string::npos)
      << json;
  EXPECT_NE(json.find(R"({"name":"GetItem","count":2,"seconds":20.00002,"errors":2,"buckets":[0)" + eighteen +
                      ",2]}]"),
            std::string::npos)
      << json;
  EXPECT_TRUE(json.ends_with(R"("values":{"throttled":7}})")) << json;
  EXPECT_GT(resident_bytes(), 1'000'000U);
}

}  // namespace
}  // namespace tavola::server
