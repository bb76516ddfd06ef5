#include "systems/inventory/archiver.h"

#include "base/timestamps.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"

namespace tavola::inventory {
namespace {

constexpr std::chrono::hours kBetweenRuns{1};

using design::Retention;

std::string_view kind_text(Retention::Kind kind) {
  switch (kind) {
    case Retention::Kind::Keep:
      return "keep";
    case Retention::Kind::Expire:
      return "expire";
    case Retention::Kind::Archive:
      return "archive";
    case Retention::Kind::SoftDelete:
      return "soft-delete";
  }
  return {};
}

void write_rule(json::Writer& json, const Retention& rule) {
  json.begin_object();
  json.name("entity").text(rule.entity);
  json.name("kind").text(kind_text(rule.kind));
  if (rule.after) json.name("days").integer(std::chrono::floor<std::chrono::days>(*rule.after).count());
  json.name("why").text(rule.why);
  json.end_object();
}

}  // namespace

Result<std::unique_ptr<Archiver>> Archiver::start(const systems::SystemDesign& design, ArchiveOptions options,
                                                  server::Log& log) {
  auto archiver = std::unique_ptr<Archiver>(new Archiver(design, std::move(options), log));
  if (archiver->options_.to.empty()) return archiver;
  TAVOLA_TRY(archiver->destination_,
             transfer::open_destination(
                 {.to = archiver->options_.to, .s3_endpoint = archiver->options_.s3_endpoint}));
  archiver->thread_ = std::thread([&self = *archiver] { self.run(); });
  return archiver;
}

Archiver::~Archiver() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Archiver::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    lock.unlock();
    archive();
    lock.lock();
    changed_.wait_for(lock, kBetweenRuns, [this] { return is_stopping_; });
  }
}

// Archives what is due. Returns how many items and batches are in the archive.
Result<Archiver::Status> Archiver::archived() {
  const auto done = transfer::run_archive({.database = design_.database(),
                                           .design = design_.design(),
                                           .destination = *destination_,
                                           .should_stop = [this] {
                                             const std::scoped_lock lock(mutex_);
                                             return is_stopping_;
                                           }});
  is_counted_ = is_counted_ && done;  // a run that fails in the middle does not say what it wrote
  TAVOLA_CHECK(done);
  if (done->items > 0) log_.info("items archived", {{"items", std::to_string(done->items)}});
  if (is_counted_) {
    const Status known = status();
    return Status{.items = known.items + done->items, .batches = known.batches + done->batches};
  }
  TAVOLA_TRY(const std::vector<transfer::ListedBatch> listed,
             transfer::list_archive(*destination_, {.table = design_.design().table.name}));
  is_counted_ = true;
  Status all{.batches = listed.size()};
  for (const transfer::ListedBatch& batch : listed) all.items += batch.manifest.count;
  return all;
}

void Archiver::archive() {
  const auto now = archived();
  if (!now) log_.error("archiving failed", {{"error", now.error().message()}});
  const std::scoped_lock lock(mutex_);
  if (now) status_ = *now;
  status_.last_run = iso8601(Clock::system().now());
  status_.error = now ? "" : now.error().message();
}

Archiver::Status Archiver::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

http::Response Archiver::answer() const {
  const Status now = status();
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("rules").begin_list();
  for (const Retention& rule : design_.design().retention) write_rule(json, rule);
  json.end_list();
  json.name("archiveTo").text(options_.to);
  json.name("items").integer(static_cast<std::int64_t>(now.items));
  json.name("batches").integer(static_cast<std::int64_t>(now.batches));
  json.name("lastRun").text(now.last_run);
  json.name("error").text(now.error);
  json.end_object();
  return http::json_answer(std::move(body));
}

systems::Route Archiver::route() const {
  return {"GET", "/api/retention", [this](const systems::Visit&) { return answer(); }};
}

}  // namespace tavola::inventory
