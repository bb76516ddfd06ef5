#include "server/admin/adoptions.h"

#include <algorithm>

#include "json/writer.h"

namespace tavola::server {

namespace {
constexpr std::string_view kWaiting = "waiting";
constexpr std::chrono::milliseconds kBetweenLooks{100};
}  // namespace

void Adoptions::start(const design::Design& design, Kind kind) {
  {
    const MutexLock lock(mutex_);
    Status& status = statuses_[design.table.name];
    // A check that has begun may have passed the items that came in since.
    if (status.is_running && (kind == Kind::Adoption || status.doing == kWaiting)) return;
    status = {.kind = kind, .is_running = true, .doing = std::string(kWaiting)};
    waiting_.push_back({std::make_shared<const design::Design>(design), kind});
    ++running_;
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  changed_.notify_all();
}

void Adoptions::wait(std::chrono::milliseconds most) {
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, most, [this]() TAVOLA_REQUIRES(mutex_) { return running_ == 0; });
}

void Adoptions::wait_for(const std::string& table, const std::atomic<bool>& is_stopping) {
  const MutexLock lock(mutex_);
  while (!is_stopping && statuses_[table].is_running) changed_.wait_for(mutex_, kBetweenLooks);
}

bool Adoptions::is_early(const Job& job) {
  const auto described = database_.describe_table({.table_name = job.design->table.name});
  return described && described->table.restored_from;
}

std::optional<Adoptions::Status> Adoptions::status(const std::string& table) const {
  const MutexLock lock(mutex_);
  const auto found = statuses_.find(table);
  return found == statuses_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Adoptions::why_not_yet(const design::Design& design) const {
  const MutexLock lock(mutex_);
  const auto now = statuses_.find(design.table.name);
  if (now == statuses_.end() || !now->second.is_running || now->second.kind != Kind::Adoption)
    return std::nullopt;
  return "The design " + design.name + " takes over the table " + design.table.name +
         ", which has items: " + now->second.doing + ", " + std::to_string(now->second.items) +
         (now->second.expected == 0 ? "" : " of " + std::to_string(now->second.expected)) +
         " items. Try again in a moment.";
}

void Adoptions::work(const std::stop_token& stop) {
  for (;;) {
    Job next;
    {
      const MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [this]() TAVOLA_REQUIRES(mutex_) { return !waiting_.empty(); });
      if (stop.stop_requested()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    if (is_early(next)) {
      const MutexLock lock(mutex_);
      waiting_.push_back(std::move(next));
      changed_.wait_for(mutex_, stop, kBetweenLooks, [] { return false; });
      continue;
    }
    perform(next, stop);
    changed_.notify_all();
  }
}

void Adoptions::perform(const Job& job, const std::stop_token& stop) {
  const design::Design& design = *job.design;
  const drift::AdoptOptions options{.progress =
                                        [&](const drift::DriftProgress& now) {
                                          const MutexLock lock(mutex_);
                                          Status& status = statuses_[design.table.name];
                                          status.doing = now.doing;
                                          status.items = now.items;
                                          status.expected = now.expected;
                                        },
                                    .stopping = [&stop] { return stop.stop_requested(); },
                                    .clock = &clock_};
  const bool adopts = job.kind == Kind::Adoption;
  log_.info(adopts ? "the design takes over its table" : "items that were brought in are checked",
            {{"design", design.name}, {"table", design.table.name}});
  Result<drift::Adopted> adopted = adopts ? drift::adopt_table(design, database_, options)
                                          : drift::check_imported(design, database_, options);
  if (adopted) {
    log_result(job, *adopted);
  } else if (!stop.stop_requested()) {
    log_.error(adopts ? "the design cannot take over its table" : "the items of a table cannot be checked",
               {{"design", design.name}, {"table", design.table.name}, {"why", adopted.error().message()}});
  }
  const MutexLock lock(mutex_);
  Status& status = statuses_[design.table.name];
  --running_;
  const auto is_same = [&](const Job& other) { return other.design->table.name == design.table.name; };
  if (std::ranges::any_of(waiting_, is_same)) return;  // the status is that of the next one
  status.is_running = false;
  if (!adopted) {
    status.failure = adopted.error().message();
  } else {
    status.adopted = *std::move(adopted);
  }
}

void Adoptions::log_result(const Job& job, const drift::Adopted& adopted) {
  const design::Design& design = *job.design;
  std::uint64_t repaired = 0;
  for (const drift::DriftFinding& finding : adopted.found.findings) repaired += finding.mended;
  log_.info(job.kind == Kind::Adoption ? "the design governs its table" : "the items were checked",
            {{"design", design.name},
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
    const bool adopts = status.kind == Adoptions::Kind::Adoption;
    out.name("report").text(adopts ? drift::to_text(*status.adopted) : drift::import_text(*status.adopted));
    out.name("adopted").raw() += drift::to_json(*status.adopted);
  }
  out.end_object();
  return json;
}

}  // namespace tavola::server
