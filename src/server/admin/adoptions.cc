#include "server/admin/adoptions.h"

#include <algorithm>

#include "json/writer.h"

namespace tavola::server {

void Adoptions::start(const design::Design& design) {
  {
    const MutexLock lock(mutex_);
    Status& status = statuses_[design.name];
    if (status.is_running) return;
    status = {.is_running = true, .doing = "waiting"};
    waiting_.push_back(std::make_shared<const design::Design>(design));
    ++running_;
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  changed_.notify_all();
}

void Adoptions::wait(std::chrono::milliseconds most) {
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, most, [this]() TAVOLA_REQUIRES(mutex_) { return running_ == 0; });
}

std::optional<Adoptions::Status> Adoptions::status(const std::string& design) const {
  const MutexLock lock(mutex_);
  const auto found = statuses_.find(design);
  return found == statuses_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Adoptions::why_not_yet(const design::Design& design) const {
  const MutexLock lock(mutex_);
  const auto now = statuses_.find(design.name);
  if (now == statuses_.end() || !now->second.is_running) return std::nullopt;
  return "The design " + design.name + " takes over the table " + design.table.name +
         ", which has items: " + now->second.doing + ", " + std::to_string(now->second.items) +
         (now->second.expected == 0 ? "" : " of " + std::to_string(now->second.expected)) +
         " items. Try again in a moment.";
}

void Adoptions::work(const std::stop_token& stop) {
  for (;;) {
    std::shared_ptr<const design::Design> next;
    {
      const MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [this]() TAVOLA_REQUIRES(mutex_) { return !waiting_.empty(); });
      if (stop.stop_requested()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    adopt(*next, stop);
    changed_.notify_all();
  }
}

void Adoptions::adopt(const design::Design& design, const std::stop_token& stop) {
  const drift::AdoptOptions options{.progress =
                                        [&](const drift::DriftProgress& now) {
                                          const MutexLock lock(mutex_);
                                          Status& status = statuses_[design.name];
                                          status.doing = now.doing;
                                          status.items = now.items;
                                          status.expected = now.expected;
                                        },
                                    .stopping = [&stop] { return stop.stop_requested(); },
                                    .clock = &clock_};
  log_.info("the design takes over its table", {{"design", design.name}, {"table", design.table.name}});
  Result<drift::Adopted> adopted = drift::adopt_table(design, database_, options);
  if (adopted) {
    log_result(design, *adopted);
  } else if (!stop.stop_requested()) {
    log_.error("the design cannot take over its table",
               {{"design", design.name}, {"table", design.table.name}, {"why", adopted.error().message()}});
  }
  const MutexLock lock(mutex_);
  Status& status = statuses_[design.name];
  status.is_running = false;
  if (!adopted) {
    status.failure = adopted.error().message();
  } else {
    status.adopted = *std::move(adopted);
  }
  --running_;
}

void Adoptions::log_result(const design::Design& design, const drift::Adopted& adopted) {
  std::uint64_t repaired = 0;
  for (const drift::DriftFinding& finding : adopted.found.findings) repaired += finding.mended;
  log_.info("the design governs its table", {{"design", design.name},
                                             {"table", design.table.name},
                                             {"items", std::to_string(adopted.found.items)},
                                             {"repaired", std::to_string(repaired)}});
  for (const drift::DriftFinding& finding : adopted.left.findings) {
    if (drift::is_about_use(finding.rule)) continue;
    if (finding.rule == drift::DriftRule::Table) {
      for (const drift::DriftSample& sample : finding.samples) {
        log_.warning("the table is not as its design says",
                     {{"design", design.name}, {"table", design.table.name}, {"difference", sample.text}});
      }
      continue;
    }
    log_.warning("items do not follow their design",
                 {{"design", design.name},
                  {"rule", std::string(drift::name_of(finding.rule)) +
                               (finding.about.empty() ? "" : " " + finding.about)},
                  {"items", std::to_string(finding.count)},
                  {"example", finding.samples.empty() ? "" : finding.samples.front().text}});
  }
}

std::string to_json(const Adoptions::Status& status) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  out.name("running").boolean(status.is_running);
  if (status.is_running) {
    out.name("doing").text(status.doing);
    out.name("items").integer(static_cast<std::int64_t>(status.items));
    out.name("expected").integer(static_cast<std::int64_t>(status.expected));
  }
  if (!status.failure.empty()) out.name("failure").text(status.failure);
  if (status.adopted) {
    out.name("complete").boolean(!status.adopted->left.has_drift());
    out.name("report").text(drift::to_text(*status.adopted));
    out.name("adopted").raw() += drift::to_json(*status.adopted);
  }
  out.end_object();
  return json;
}

}  // namespace tavola::server
