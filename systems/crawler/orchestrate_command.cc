// orchestrate: workers, the reset of what is stuck, and the status page.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "commands.h"
#include "http/server.h"
#include "work/status_look.h"
#include "work/status_page.h"
#include "work/times.h"
#include "work_commands.h"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using tavola::Error;
using tavola::Result;

struct OrchestrateOptions {
  std::size_t workers = 1;
  std::vector<Work> work{};
  std::vector<std::string> countries{};
  milliseconds look_every{};
  milliseconds reset_stuck{};
  std::string host{};
  std::uint16_t port = 0;
};

Result<void> read_listen(const std::string& text, OrchestrateOptions& options) {
  const std::size_t colon = text.rfind(':');
  unsigned port = 65536;
  if (colon != std::string::npos) {
    const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
    if (problem != std::errc() || end != text.data() + text.size()) port = 65536;
  }
  if (port > 65535)
    return tavola::fail(
        Error::validation("--listen must be HOST:PORT, 127.0.0.1:8011 (was \"" + text + "\")"));
  options.host = text.substr(0, colon);
  options.port = static_cast<std::uint16_t>(port);
  return {};
}

Result<OrchestrateOptions> read_options(const GivenOptions& given, const JobLimits& limits) {
  OrchestrateOptions options{.countries = countries_of(given)};
  if (options.countries.empty()) options.countries.assign(all_countries().begin(), all_countries().end());
  TAVOLA_TRY(options.workers, given.number("--workers", 1));
  TAVOLA_TRY(const std::int64_t look_every, given.milliseconds("--look-every", "5s"));
  TAVOLA_TRY(const std::int64_t reset_stuck, given.milliseconds("--reset-stuck", "2h"));
  options.look_every = milliseconds(look_every);
  options.reset_stuck = milliseconds(reset_stuck);
  TAVOLA_CHECK(read_listen(given.text("--listen", "127.0.0.1:8011"), options));
  const std::string only = given.text("--only");
  if (!only.empty() && only != "crawl" && only != "scrape")
    return tavola::fail(Error::validation("--only must be crawl or scrape (was \"" + only + "\")"));
  if (only != "scrape") options.work.push_back(Work::Crawl);
  if (only != "crawl") options.work.push_back(Work::Scrape);
  if (options.workers == 0 || options.workers > 64)
    return tavola::fail(Error::validation("--workers must be from 1 to 64"));
  if (options.reset_stuck > limits.time) return options;
  return tavola::fail(
      Error::validation("--reset-stuck must be more than --time: work that still runs is not stuck"));
}

class Orchestrator {
 public:
  Orchestrator(const CommandContext& context, OrchestrateOptions options, Webhook* webhook)
      : context_(context), options_(std::move(options)), webhook_(webhook) {}

  Result<int> run() {
    TAVOLA_TRY(const auto server, serve());
    TAVOLA_TRY(std::vector<std::thread> workers, start_workers());
    context_.print(Record()
                       .text("event", "listening")
                       .text("url", server->urls().front())
                       .number("workers", options_.workers));
    while (!context_.is_stopping) {
      if (const auto looked = look(); !looked)
        context_.print(Record().text("event", "problem").text("problem", looked.error().message()));
      const auto next = steady_clock::now() + options_.look_every;
      while (!context_.is_stopping && steady_clock::now() < next)
        std::this_thread::sleep_for(milliseconds(50));
    }
    for (std::thread& worker : workers) worker.join();
    server->stop();
    return 0;
  }

 private:
  Result<WorkerOptions> options_of(Work work) const {
    TAVOLA_TRY(WorkerOptions options, worker_options(work, context_.given));
    TAVOLA_TRY(const std::int64_t every, work == Work::Crawl
                                             ? context_.given.milliseconds("--crawl-every", "7d")
                                             : context_.given.milliseconds("--scrape-every", "0s"));
    options.older_than = milliseconds(every);
    options.until = WorkerOptions::Until::Stopped;
    options.poll = options_.look_every;
    return options;
  }

  Result<std::vector<std::thread>> start_workers() {
    std::vector<WorkerOptions> kinds;
    for (const Work work : options_.work) {
      TAVOLA_TRY(WorkerOptions options, options_of(work));
      kinds.push_back(std::move(options));
    }
    std::vector<std::thread> workers;
    for (const WorkerOptions& options : kinds) {
      for (std::size_t i = 0; i < options_.workers; ++i)
        workers.emplace_back([this, options] { work(options); });
    }
    return workers;
  }

  // A worker whose database fails begins again: the database may come back.
  void work(const WorkerOptions& options) {
    while (!context_.is_stopping) {
      Worker worker(context_.registry, activity_, context_.is_stopping, options);
      const auto done = worker.run(jobs_of(options.work, webhook_), context_.print);
      if (done) continue;
      context_.print(Record().text("event", "problem").text("problem", done.error().message()));
      const auto next = steady_clock::now() + options_.look_every;
      while (!context_.is_stopping && steady_clock::now() < next)
        std::this_thread::sleep_for(milliseconds(50));
    }
  }

  // Counting reads every shop of the index.
  Result<void> look() {
    const auto begin = steady_clock::now();
    if (begin < next_look_) return {};
    TAVOLA_TRY(LifecycleCounts counts, count_lifecycles(context_.registry, activity_, options_.countries));
    {
      const std::lock_guard lock(mutex_);
      lifecycle_ = counts;
    }
    for (const auto& [key, shops] : counts.counts) {
      const auto& [country, work] = key;
      const bool is_ours = std::ranges::find(options_.work, work) != options_.work.end();
      if (is_ours && shops.in_progress > 0) TAVOLA_CHECK(reset_stuck(work, country));
    }
    next_look_ = begin + pause_between_looks(options_.look_every, steady_clock::now() - begin);
    return {};
  }

  Result<void> reset_stuck(Work work, const std::string& country) {
    const std::string before = to_text(now() - options_.reset_stuck);
    TAVOLA_TRY(const std::vector<Shop> stuck, context_.registry.stuck(work, country, before));
    for (const Shop& shop : stuck) {
      const std::string since = (work == Work::Crawl ? shop.last_crawled_start : shop.last_scraped_start)
                                    .value_or("an unknown time");
      const std::string reason = "the " + std::string(name_of(work)) + " was in progress since " + since;
      TAVOLA_TRY(const bool is_reset,
                 context_.registry.reset(work, shop.domain, {.by = "orchestrate", .reason = reason}));
      if (is_reset)
        context_.print(Record()
                           .text("event", "reset")
                           .text("domain", shop.domain)
                           .text("work", name_of(work))
                           .text("since", since));
    }
    return {};
  }

  Result<std::unique_ptr<tavola::http::Server>> serve() {
    return tavola::http::Server::start(
        {.host = options_.host, .port = options_.port, .threads = 1},
        [this](const tavola::http::Request& request, tavola::http::Reply reply) { reply(answer(request)); });
  }

  tavola::http::Response answer(const tavola::http::Request& request) {
    if (request.method != "GET" && request.method != "HEAD")
      return {.status = 405, .content_type = "text/plain", .body = "GET only\n"};
    const std::lock_guard lock(mutex_);
    StatusView view{lifecycle_, activity_};
    if (webhook_ != nullptr)
      view.deliveries = {webhook_->delivered(), webhook_->failed_attempts(), webhook_->waiting()};
    tavola::http::Response response;
    if (request.path == "/") {
      response = {.content_type = "text/html; charset=utf-8", .body = status_html(view)};
      response.add_header("Content-Security-Policy",
                          "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
                          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    } else if (request.path == "/status.css") {
      response = {.content_type = "text/css; charset=utf-8", .body = std::string(kStatusStyle)};
    } else if (request.path == "/status.js") {
      response = {.content_type = "text/javascript; charset=utf-8", .body = std::string(kStatusScript)};
    } else if (request.path == "/status.json") {
      response = {.content_type = "application/json", .body = status_json(view)};
    } else if (request.path == "/metrics") {
      response = {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = status_metrics(view)};
    } else {
      response = {
          .status = 404, .content_type = "text/plain", .body = "There are /, /status.json and /metrics.\n"};
    }
    response.add_header("X-Content-Type-Options", "nosniff");
    response.add_header("Cache-Control", "no-store");
    return response;
  }

  const CommandContext& context_;
  OrchestrateOptions options_;
  Webhook* webhook_;
  Activity activity_;
  steady_clock::time_point next_look_{};
  std::mutex mutex_;
  LifecycleCounts lifecycle_;  // guarded by mutex_
};

}  // namespace

Result<int> orchestrate_command(const CommandContext& context) {
  TAVOLA_TRY(const WorkerOptions worker, worker_options(Work::Crawl, context.given));
  TAVOLA_TRY(OrchestrateOptions options, read_options(context.given, worker.job.limits));
  TAVOLA_TRY(const std::unique_ptr<Webhook> webhook, open_webhook(context.given));
  return Orchestrator(context, std::move(options), webhook.get()).run();
}

}  // namespace crawler
