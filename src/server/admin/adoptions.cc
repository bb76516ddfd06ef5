#include "server/admin/adoptions.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"

namespace tavola::server {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};

}  // namespace

void Adoptions::start(const design::Design& design, Wishes wishes) {
  {
    const MutexLock lock(mutex_);
    const auto same = statuses_.find(key_of(design));
    // One that shall delete indexes ends one that leaves them.
    if (same != statuses_.end() && same->second.is_running && same->second.design->text == design.text &&
        (same->second.deletes_indexes || !wishes.delete_indexes))
      return;
    add({.design = std::make_shared<const design::Design>(design), .wishes = std::move(wishes)});
  }
  changed_.notify_all();
}

void Adoptions::check(const design::Design& design) {
  {
    const MutexLock lock(mutex_);
    // One that has begun may have passed the items that came in since.
    const Key key = key_of(design, Kind::Check);
    if (std::ranges::any_of(waiting_, [&](const Task& task) { return key_of(task) == key; })) return;
    add({.design = std::make_shared<const design::Design>(design), .kind = Kind::Check});
  }
  changed_.notify_all();
}

void Adoptions::add(Task task) {
  const Key key = key_of(task);
  task.number = ++last_number_;
  statuses_[key] = {.kind = task.kind,
                    .number = task.number,
                    .is_running = true,
                    .deletes_indexes = task.wishes.delete_indexes,
                    .doing = "waiting",
                    .design = task.design};
  std::erase_if(waiting_, [&](const Task& other) { return key_of(other) == key; });
  waiting_.push_back(std::move(task));
  if (is_stopped_) return;
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void Adoptions::stop() {
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
  }
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

bool Adoptions::is_idle() const {
  const MutexLock lock(mutex_);
  return std::ranges::none_of(statuses_, [](const auto& one) { return one.second.is_running; });
}

void Adoptions::wait(std::chrono::milliseconds most) {
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, most, [this]() TAVOLA_REQUIRES(mutex_) {
    return std::ranges::none_of(statuses_, [](const auto& one) { return one.second.is_running; });
  });
}

bool Adoptions::is_busy(std::string_view table) const {
  return std::ranges::any_of(
      statuses_, [&](const auto& one) { return one.first.table == table && one.second.is_running; });
}

void Adoptions::wait_for(const std::string& table, const std::atomic<bool>& is_stopping) {
  const MutexLock lock(mutex_);
  while (!is_stopping && is_busy(table)) changed_.wait_for(mutex_, kBetweenLooks);
}

bool Adoptions::is_early(const Task& task) {
  const auto described = database_.describe_table({.table_name = task.design->table.name});
  return described && described->table.restored_from;
}

std::optional<Adoptions::Status> Adoptions::status(const design::Design& design) const {
  const MutexLock lock(mutex_);
  const auto found = statuses_.find(key_of(design));
  return found == statuses_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Adoptions::Status> Adoptions::status_of_table(std::string_view table, Kind kind) const {
  const MutexLock lock(mutex_);
  const Status* latest = nullptr;
  for (const auto& [key, status] : statuses_) {
    if (key.table == table && key.kind == kind && (latest == nullptr || latest->number < status.number))
      latest = &status;
  }
  return latest == nullptr ? std::nullopt : std::optional(*latest);
}

std::optional<std::string> Adoptions::why_not_yet(const design::Design& design) const {
  const MutexLock lock(mutex_);
  const auto found = statuses_.find(key_of(design));
  if (found == statuses_.end()) return std::nullopt;
  const Status& now = found->second;
  const bool is_other = now.design->text != design.text;
  // The table may have the roles of the other design already, which this one does not know.
  if (!now.is_running && !now.failure.empty() && is_other && !now.design->roles.empty()) {
    return "The design " + now.design->name + " could not take over the table " + design.table.name + ": " +
           now.failure + ". Repeat `tavola design apply`.";
  }
  if (!now.is_running || (is_other && now.design->roles.empty())) return std::nullopt;
  return "The design " + design.name + " takes over the table " + design.table.name +
         ", which has items: " + now.doing + ", " + std::to_string(now.items) +
         (now.expected == 0 ? "" : " of " + std::to_string(now.expected)) + " items. Try again in a moment.";
}

void Adoptions::work(const std::stop_token& stop) {
  for (;;) {
    Task next;
    {
      const MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [this]() TAVOLA_REQUIRES(mutex_) { return !waiting_.empty(); });
      if (stop.stop_requested()) return;
      next = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
    }
    if (is_early(next)) {
      const MutexLock lock(mutex_);
      if (is_latest(next)) waiting_.push_back(std::move(next));
      changed_.wait_for(mutex_, stop, kBetweenLooks, [] { return false; });
      continue;
    }
    perform(next, stop);
    changed_.notify_all();
  }
}

Result<drift::Adopted> Adoptions::result_of(const Task& task, const drift::AdoptOptions& options) {
  const design::Design& design = *task.design;
  if (task.kind == Kind::Adoption) return drift::adopt_table(design, database_, options);
  // An adoption may have given the table another design while the check waited.
  TAVOLA_TRY(const std::shared_ptr<const design::Design> governing,
             database_.governing_design(design.table.name));
  if (governing == nullptr) {
    return fail(Error::validation("the table " + design.table.name + " does not exist, or has no design"));
  }
  return drift::check_imported(*governing, database_, options);
}

void Adoptions::perform(const Task& task, const std::stop_token& stop) {
  const design::Design& design = *task.design;
  const bool adopts = task.kind == Kind::Adoption;
  const auto is_over = [&] {
    const MutexLock lock(mutex_);
    return stop.stop_requested() || (adopts && !is_latest(task));
  };
  const drift::AdoptOptions options{.create_table = task.wishes.create_table,
                                    .delete_indexes = task.wishes.delete_indexes,
                                    .progress =
                                        [&](const drift::DriftProgress& now) {
                                          const MutexLock lock(mutex_);
                                          if (!is_latest(task)) return;
                                          Status& status = statuses_[key_of(task)];
                                          status.doing = now.doing;
                                          status.items = now.items;
                                          status.expected = now.expected;
                                        },
                                    .stopping = is_over,
                                    .clock = &clock_};
  log_.info(adopts ? "the design takes over its table" : "items that were brought in are checked",
            {{"design", design.name}, {"table", design.table.name}});
  Result<drift::Adopted> adopted = result_of(task, options);
  if (adopted) {
    log_result(task, *adopted);
    if (task.wishes.then) task.wishes.then(design);
  } else if (!is_over()) {
    log_.error(adopts ? "the design cannot take over its table" : "the items of a table cannot be checked",
               {{"design", design.name}, {"table", design.table.name}, {"why", adopted.error().message()}});
  }
  note_end(task, std::move(adopted));
}

void Adoptions::note_end(const Task& task, Result<drift::Adopted> adopted) {
  const MutexLock lock(mutex_);
  if (!is_latest(task)) return;  // a newer one waits
  Status& status = statuses_[key_of(task)];
  status.is_running = false;
  if (!adopted) {
    status.failure = adopted.error().message();
  } else {
    status.adopted = *std::move(adopted);
  }
}

void Adoptions::log_result(const Task& task, const drift::Adopted& adopted) {
  const design::Design& design = *task.design;
  std::uint64_t repaired = 0;
  for (const drift::DriftFinding& finding : adopted.found.findings) repaired += finding.mended;
  log_.info(task.kind == Kind::Adoption ? "the design governs its table" : "the items were checked",
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
    const bool adopts = status.kind == Adoptions::Kind::Adoption;
    out.name("complete").boolean(adopts ? status.adopted->is_complete() : !status.adopted->left.has_drift());
    out.name("report").text(adopts ? drift::to_text(*status.adopted) : drift::import_text(*status.adopted));
    out.name("adopted").raw() += drift::to_json(*status.adopted);
  }
  out.end_object();
  return json;
}

}  // namespace tavola::server
