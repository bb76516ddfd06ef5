#include "systems/text-analyzer/work/work_metrics.h"

namespace tavola::text_analyzer {

WorkMetrics::WorkMetrics(http::Metrics& metrics)
    : completed_(metrics.counter("tavola_texts_completed_total", "Files whose result was stored.")),
      failed_(metrics.counter("tavola_texts_failed_total", "Files that are no text, or could not be read.")),
      superseded_(metrics.counter("tavola_texts_superseded_total",
                                  "Files that another worker had taken over when they were done.")),
      taken_over_(metrics.counter("tavola_texts_taken_over_total", "Files of workers that had died.")),
      bytes_(metrics.counter("tavola_texts_bytes_total", "Bytes that were analysed.")),
      running_(metrics.gauge("tavola_texts_running", "Files that are being analysed.")),
      durations_(metrics.histogram("tavola_texts_seconds", "Time to analyse a file.")) {}

}  // namespace tavola::text_analyzer
