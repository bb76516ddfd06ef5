#include "work_commands.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "web/url.h"
#include "work/crawl_job.h"
#include "work/scrape_job.h"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using tavola::Error;
using tavola::Result;

constexpr unsigned kDepthMax = 1000;

Result<void> read_politeness(const GivenOptions& given, WorkerOptions& options) {
  Politeness& politeness = options.job.politeness;
  TAVOLA_TRY(const std::int64_t delay, given.milliseconds("--delay", "1s"));
  TAVOLA_TRY(const std::int64_t retry_delay, given.milliseconds("--retry-delay", "2s"));
  TAVOLA_TRY(const std::uint64_t retries, given.number("--retries", 3));
  politeness.delay = milliseconds(delay);
  politeness.retry_delay = milliseconds(retry_delay);
  politeness.retries = static_cast<unsigned>(std::min<std::uint64_t>(retries, 100));
  options.fetcher.user_agent = given.text("--user-agent", "tavola-crawler/0.1");
  politeness.product_token =
      options.fetcher.user_agent.substr(0, options.fetcher.user_agent.find_first_of("/ "));
  return {};
}

Result<void> read_fetcher(const GivenOptions& given, WorkerOptions& options) {
  TAVOLA_TRY(const std::int64_t timeout, given.milliseconds("--timeout", "30s"));
  options.fetcher.timeout = milliseconds(timeout);
  options.fetcher.connect_timeout = std::min(options.fetcher.connect_timeout, options.fetcher.timeout);
  options.fetcher.addresses = given.has("--allow-private") ? AddressRule::Any : AddressRule::PublicOnly;
  options.fetcher.connect_to = given.texts("--connect-to");
  options.fetcher.ca_file = given.text("--ca-file");
  options.job.scheme = given.text("--scheme", "https");
  if (options.job.scheme == "https" || options.job.scheme == "http") return {};
  return tavola::fail(
      Error::validation("--scheme must be https or http (was \"" + options.job.scheme + "\")"));
}

Result<void> read_limits(const GivenOptions& given, JobLimits& limits) {
  TAVOLA_TRY(limits.pages, given.number("--pages", limits.pages));
  TAVOLA_TRY(const std::uint64_t depth, given.number("--depth", limits.depth));
  TAVOLA_TRY(limits.bytes, given.bytes("--bytes", "2GB"));
  TAVOLA_TRY(limits.page_bytes, given.bytes("--page-bytes", "4MB"));
  TAVOLA_TRY(const std::int64_t time, given.milliseconds("--time", "1h"));
  limits.depth = static_cast<unsigned>(std::min<std::uint64_t>(depth, kDepthMax));
  limits.time = std::chrono::duration_cast<std::chrono::seconds>(milliseconds(time));
  if (limits.time < kJobTimeMax) return {};
  return tavola::fail(Error::validation(
      "--time must be below 110m, because the claim of a shop counts as stuck after two hours"));
}

}  // namespace

Result<WorkerOptions> worker_options(Work work, const GivenOptions& given) {
  WorkerOptions options{.work = work, .countries = countries_of(given), .domains = given.arguments()};
  TAVOLA_TRY(options.shops, given.number("--shops", options.shops));
  TAVOLA_TRY(options.shops_max, given.number("--at-most", 0));
  TAVOLA_TRY(const std::int64_t older_than,
             given.milliseconds("--older-than", work == Work::Crawl ? "7d" : "0s"));
  options.older_than = milliseconds(older_than);
  TAVOLA_CHECK(read_politeness(given, options));
  TAVOLA_CHECK(read_fetcher(given, options));
  TAVOLA_CHECK(read_limits(given, options.job.limits));
  if (options.shops == 0) return tavola::fail(Error::validation("--shops must be at least 1"));
  return options;
}

Result<std::unique_ptr<Webhook>> open_webhook(const GivenOptions& given) {
  if (!given.has("--on-change")) return std::unique_ptr<Webhook>();
  WebhookOptions options{.url = given.text("--on-change")};
  if (given.has("--secret-file")) {
    std::ifstream file(given.text("--secret-file"), std::ios::binary);
    if (!file)
      return tavola::fail(
          Error::validation("--secret-file " + given.text("--secret-file") + " cannot be read"));
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    options.secret = std::string(trimmed(text));
  } else if (const char* const secret = std::getenv("TAVOLA_CRAWLER_SECRET")) {
    options.secret = secret;
  }
  if (options.secret.empty()) {
    return tavola::fail(Error::validation(
        "--on-change needs a secret that signs the deliveries: --secret-file FILE or TAVOLA_CRAWLER_SECRET"));
  }
  TAVOLA_TRY(const std::int64_t retry_delay, given.milliseconds("--retry-delay", "2s"));
  options.retry_delay = milliseconds(retry_delay);
  TAVOLA_TRY(Outbox outbox, Outbox::open(given.text("--outbox", "crawler-outbox")));
  return std::make_unique<Webhook>(std::move(outbox), std::move(options));
}

Result<void> wait_for_deliveries(const CommandContext& context, Webhook& webhook) {
  TAVOLA_TRY(const std::int64_t patience, context.given.milliseconds("--deliver-for", "30s"));
  if (webhook.wait_until_delivered(milliseconds(patience), context.is_stopping)) return {};
  context.print(Record()
                    .text("event", "undelivered")
                    .text("problem", "changes wait in the outbox for the next run")
                    .number("changes", webhook.waiting()));
  return {};
}

Worker::MakeJob jobs_of(Work work, Webhook* webhook) {
  return [work, webhook](const JobContext& job, Shop shop) -> std::unique_ptr<Job> {
    if (work == Work::Crawl) return std::make_unique<CrawlJob>(job, std::move(shop));
    return std::make_unique<ScrapeJob>(job, std::move(shop), webhook);
  };
}

Result<int> crawl_command(const CommandContext& context) {
  TAVOLA_TRY(const WorkerOptions options, worker_options(Work::Crawl, context.given));
  Activity activity;
  Worker worker(context.registry, activity, context.is_stopping, options);
  TAVOLA_CHECK(worker.run(jobs_of(Work::Crawl, nullptr), context.print));
  return worker.skipped() == 0 ? 0 : 1;
}

Result<int> scrape_command(const CommandContext& context) {
  TAVOLA_TRY(const WorkerOptions options, worker_options(Work::Scrape, context.given));
  TAVOLA_TRY(const std::unique_ptr<Webhook> webhook, open_webhook(context.given));
  Activity activity;
  Worker worker(context.registry, activity, context.is_stopping, options);
  TAVOLA_CHECK(worker.run(jobs_of(Work::Scrape, webhook.get()), context.print));
  if (webhook) TAVOLA_CHECK(wait_for_deliveries(context, *webhook));
  return worker.skipped() == 0 ? 0 : 1;
}

}  // namespace crawler
