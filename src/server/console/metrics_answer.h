// The metrics of the server as JSON, for charts: what GET /metrics says, without what is zero.
//
//   {"at": 1763573400125, "resident": 52428800, "bounds": [0.00001, …],
//    "requests": [{"name": "GetItem", "count": 7, "seconds": 0.002, "errors": 1, "buckets": [0, 3, 7, …]}, …],
//    "values": {"tavola_read_units_total": 12, "rocksdb_files_bytes": 4096, …}}
//
// All numbers count from the start of the server. `buckets` are cumulative: how many requests took at most as long as each bound. Requests under
// /v1 are named "/v1/design/name". A metric with labels is the sum of its lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace tavola::server {

struct MetricsMoment {
  std::chrono::system_clock::time_point at{};
  std::size_t resident_bytes = 0;  // of the process
};

// `text` is in Prometheus' format, as http::Metrics writes it.
std::string metrics_json(std::string_view text, const MetricsMoment& moment);

// Returns 0 if the system does not say.
std::size_t resident_bytes();

}  // namespace tavola::server
