#include "work/worker.h"

#include <algorithm>
#include <utility>

#include "work/times.h"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using tavola::Result;

constexpr std::size_t kDueMax = 1000;  // looked up at once

}  // namespace

Worker::Worker(Registry& registry, Activity& activity, const std::atomic<bool>& is_stopping,
               WorkerOptions options)
    : registry_(registry),
      activity_(activity),
      is_stopping_(is_stopping),
      options_(std::move(options)),
      cutoff_(to_text(now() - options_.older_than)),
      fetcher_(options_.fetcher),
      order_(std::random_device()()) {
  if (options_.countries.empty()) options_.countries.assign(all_countries().begin(), all_countries().end());
  due_ = options_.domains;
}
Worker::~Worker() = default;

bool Worker::may_claim() const {
  return !is_stopping_ && jobs_.size() < options_.shops &&
         (options_.shops_max == 0 || claimed_ < options_.shops_max);
}

Result<void> Worker::find_due() {
  const auto begin = steady_clock::now();
  has_claimed_since_look_ = false;
  if (options_.until == WorkerOptions::Until::Stopped) cutoff_ = to_text(now() - options_.older_than);
  for (const std::string& country : options_.countries) {
    TAVOLA_TRY(const std::vector<Shop> shops, registry_.due(options_.work, country, cutoff_, kDueMax));
    for (const Shop& shop : shops) due_.push_back(shop.domain);
    if (due_.size() >= kDueMax || is_stopping_) break;
  }
  next_look_ = begin + pause_between_looks(options_.poll, steady_clock::now() - begin);
  // Workers that look at the same time should not try the same shops first.
  std::ranges::shuffle(due_, order_);
  found_none_ = due_.empty();
  return {};
}

Result<void> Worker::claim_some(const MakeJob& make_job, const JobContext& context) {
  while (may_claim()) {
    if (due_.empty()) {
      // After a whole list without success the others have it: waits before it looks again.
      const bool may_look = options_.domains.empty() && !found_none_ &&
                            (has_claimed_since_look_ || steady_clock::now() >= next_look_);
      if (!may_look) return {};
      TAVOLA_CHECK(find_due());
      if (due_.empty()) return {};
    }
    const std::string domain = std::move(due_.back());
    due_.pop_back();
    TAVOLA_TRY(auto shop, options_.domains.empty() ? registry_.claim_due(options_.work, domain, cutoff_)
                                                   : registry_.claim(options_.work, domain));
    if (!shop) {
      if (!options_.domains.empty()) TAVOLA_CHECK(say_skipped(domain, context.report));
      continue;
    }
    has_claimed_since_look_ = true;
    ++claimed_;
    jobs_.push_back(make_job(context, *std::move(shop)));
    jobs_.back()->begin();
  }
  return {};
}

// Somebody asked for this shop, and should know why nothing happens.
Result<void> Worker::say_skipped(const std::string& domain, const Report& report) {
  ++skipped_;
  TAVOLA_TRY(const auto shop, registry_.shop(domain));
  std::string why = "is not registered";
  if (shop) {
    const bool is_crawl = options_.work == Work::Crawl;
    const bool is_running = (is_crawl ? shop->crawl : shop->scrape) == Shop::Crawl::PROGRESS;
    const auto since = is_crawl ? shop->last_crawled_start : shop->last_scraped_start;
    why = is_running               ? "is in progress since " + since.value_or("an unknown time")
          : shop->last_crawled_end ? "was not crawled since its last scrape"
                                   : "was not crawled yet";
  }
  report(Record()
             .text("event", "skipped")
             .text("domain", domain)
             .text("work", name_of(options_.work))
             .text("problem", why));
  return {};
}

Result<std::size_t> Worker::run(const MakeJob& make_job, const Report& report) {
  const JobContext context{fetcher_, robots_, registry_, activity_, options_.job, report};
  Result<void> claimed;
  while (true) {
    if (is_stopping_ && !fetcher_.is_stopped()) fetcher_.stop();
    if (claimed) claimed = claim_some(make_job, context);
    fetcher_.turn(milliseconds(jobs_.empty() ? 50 : 200));
    std::erase_if(jobs_, [](const std::unique_ptr<Job>& job) { return job->is_done(); });
    if (!jobs_.empty()) continue;
    if (is_stopping_ || !claimed) break;
    const bool is_last = due_.empty() && (found_none_ || !options_.domains.empty() || !may_claim());
    if (options_.until == WorkerOptions::Until::NothingIsDue && is_last) break;
    if (options_.until == WorkerOptions::Until::Stopped && steady_clock::now() >= next_look_)
      found_none_ = false;
  }
  TAVOLA_CHECK(claimed);
  return claimed_;
}

}  // namespace crawler
