#include "systems/text-analyzer/work/analyse_upload.h"

#include <thread>

#include "base/random.h"
#include "base/retry.h"

namespace tavola::text_analyzer {
namespace {

constexpr int kReadingsMax = 3;
constexpr RetryDelays kDelays{.first = std::chrono::milliseconds(200), .longest = std::chrono::seconds(5)};

Result<Analysis> read_once(const Reading& reading, const std::string& key) {
  TAVOLA_TRY(const std::unique_ptr<UploadReader> upload, reading.bucket.open(key));
  if (upload == nullptr) return fail(Error::validation("The uploaded file is gone. Upload it again."));
  if (upload->size_bytes() > reading.size_bytes_max)
    return fail(Error::validation("The file is larger than it may be."));
  Analyzer analyzer;
  for (;;) {
    TAVOLA_TRY(const std::string_view piece, upload->next());
    if (piece.empty()) return analyzer.finish();
    TAVOLA_CHECK(analyzer.add(piece));
    reading.metrics.read(piece.size());
  }
}

}  // namespace

Outcome analyse_upload(const Reading& reading, const std::string& key) {
  for (int readings = 1;; ++readings) {
    Result<Analysis> analysis = read_once(reading, key);
    if (analysis) return {.analysis = *std::move(analysis)};
    const bool is_of_text = analysis.error().code() == ErrorCode::Validation;
    if (is_of_text) return {.why = analysis.error().message()};
    if (readings == kReadingsMax)
      return {.why = "The uploaded file could not be read: " + analysis.error().message() +
                     ". Upload it again."};
    std::this_thread::sleep_for(delay_after(readings, kDelays, Random::system()));
  }
}

}  // namespace tavola::text_analyzer
