// The options of tavola-text-analyzer, for all commands.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "systems/host/options.h"
#include "systems/text-analyzer/backend/file_rules.h"
#include "systems/text-analyzer/bucket/s3_bucket.h"
#include "systems/text-analyzer/work/worker.h"

namespace tavola::text_analyzer {

inline constexpr std::uint16_t kPort = 8012;

struct AnalyzerOptions {
  systems::HostOptions host{.data = "text-analyzer-data", .port = kPort};
  S3Options s3;  // without a URL, uploads go to a folder of this program
  WorkOptions work;
  std::chrono::milliseconds keep_announced = std::chrono::hours(24);
  FileRules rules;
  std::string metrics;  // HOST:PORT of a worker's metrics; empty: none
};

// Returns the options that fill in `options`, which must outlive them.
std::vector<systems::Option> analyzer_options(AnalyzerOptions& options);

// Fails if the options contradict one another.
Result<void> check(const AnalyzerOptions& options);
// Fails if the options are not enough for a worker that is a process of its own.
Result<void> check_worker(const AnalyzerOptions& options);

}  // namespace tavola::text_analyzer
