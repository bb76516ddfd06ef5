#include "systems/inventory/archiver.h"

#include "base/timestamps.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"

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

void Archiver::archive() {
  const auto done = transfer::run_archive({.database = design_.database(),
                                           .design = design_.design(),
                                           .destination = *destination_,
                                           .should_stop = [this] {
                                             const std::scoped_lock lock(mutex_);
                                             return is_stopping_;
                                           }});
  if (!done) log_.error("archiving failed", {{"error", done.error().message()}});
  if (done && done->items > 0) log_.info("items archived", {{"items", std::to_string(done->items)}});
  const std::scoped_lock lock(mutex_);
  status_.last_run = iso8601(Clock::system().now());
  status_.error = done ? "" : done.error().message();
  if (done) status_.items += done->items;
}

Archiver::Status Archiver::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

http::Response Archiver::answer() const {
  std::uint64_t items = 0;
  std::uint64_t batches = 0;
  if (!options_.to.empty()) {
    const auto destination =
        transfer::open_destination({.to = options_.to, .s3_endpoint = options_.s3_endpoint});
    if (!destination) return server::problem_answer(503, destination.error().message());
    const auto listed = transfer::list_archive(**destination, {.table = design_.design().table.name});
    if (!listed) return server::problem_answer(503, listed.error().message());
    batches = listed->size();
    for (const transfer::ListedBatch& batch : *listed) items += batch.manifest.count;
  }
  const Status now = status();
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("rules").begin_list();
  for (const Retention& rule : design_.design().retention) write_rule(json, rule);
  json.end_list();
  json.name("archiveTo").text(options_.to);
  json.name("items").integer(static_cast<std::int64_t>(items));
  json.name("batches").integer(static_cast<std::int64_t>(batches));
  json.name("lastRun").text(now.last_run);
  json.name("error").text(now.error);
  json.end_object();
  return http::json_answer(std::move(body));
}

systems::Route Archiver::route() const {
  return {"GET", "/api/retention", [this](const systems::Visit&) { return answer(); }};
}

}  // namespace tavola::inventory
