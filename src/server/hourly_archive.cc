#include "server/hourly_archive.h"

#include <algorithm>
#include <new>

#include "http/metrics.h"
#include "transfer/archive/archive.h"

namespace tavola::server {
namespace {

constexpr auto kArchivePeriod = std::chrono::hours(1);

}  // namespace

HourlyArchive::HourlyArchive(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { work(stop); }) {}

void HourlyArchive::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const DesignList designs = parts_.designs.designs();
    for (const design::Design& design : *designs) {
      const bool archives = std::ranges::any_of(design.retention, [](const design::Retention& retention) {
        return retention.kind == design::Retention::Kind::Archive;
      });
      try {
        if (archives) run_once(design, stop);
      } catch (const std::bad_alloc&) {
        ++failed_runs_;
      }
    }
    std::unique_lock lock(waiting_);
    woken_.wait_for(lock, stop, kArchivePeriod, [] { return false; });
  }
}

void HourlyArchive::run_once(const design::Design& design, const std::stop_token& stop) {
  Result<transfer::Archived> done =
      transfer::run_archive({.database = parts_.database,
                             .design = design,
                             .destination = *parts_.destination,
                             .clock = parts_.clock,
                             .should_stop = [&stop] { return stop.stop_requested(); }});
  if (const Result<void> settled = parts_.settle(); done && !settled) done = fail(settled.error());
  if (!done) {
    ++failed_runs_;
    parts_.log.error("archiving failed", {{"design", design.name}, {"error", done.error().message()}});
    return;
  }
  archived_items_ += done->items;
  removed_items_ += done->removal.removed;
  parts_.log.info("archived", {{"design", design.name},
                               {"items", std::to_string(done->items)},
                               {"batches", std::to_string(done->batches)},
                               {"removed", std::to_string(done->removal.removed)},
                               {"kept", std::to_string(done->removal.kept)},
                               {"to", parts_.destination->described()}});
}

void HourlyArchive::append_metrics(std::string& out) const {
  http::append_metric(out, {"tavola_archived_items_total", "Items written to the archive and verified.",
                            "counter", archived_items_.load()});
  http::append_metric(out, {"tavola_archive_removed_items_total", "Archived items removed from their tables.",
                            "counter", removed_items_.load()});
  http::append_metric(out, {"tavola_archive_failed_runs_total", "Runs of the archive that met an error.",
                            "counter", failed_runs_.load()});
}

}  // namespace tavola::server
