// Reads one upload and counts its words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systems/text-analyzer/analysis/analysis.h"
#include "systems/text-analyzer/bucket/bucket.h"
#include "systems/text-analyzer/work/work_metrics.h"

namespace tavola::text_analyzer {

// The words of an upload, or why there are none, for its owner.
struct Outcome {
  std::optional<Analysis> analysis = {};
  std::string why = {};
};

struct Reading {
  Bucket& bucket;
  std::uint64_t size_bytes_max = 0;
  WorkMetrics& metrics;
};

// Reads the upload up to three times, because the bucket may fail, and the upload may be replaced while it is read.
Outcome analyse_upload(const Reading& reading, const std::string& key);

}  // namespace tavola::text_analyzer
