#include "work/scrape_job.h"

#include <iterator>
#include <utility>

#include "page/structured_data.h"
#include "web/charset.h"
#include "work/digests.h"
#include "work/times.h"

namespace crawler {
namespace {

using std::chrono::steady_clock;
using tavola::Result;

constexpr unsigned kProductRedirectsMax = 5;
constexpr std::size_t kProductFailuresMax = 5;  // in a row

bool leads_elsewhere(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

ScrapeJob::ScrapeJob(const JobContext& context, Shop claimed, Webhook* webhook)
    : context_(context),
      shop_(std::move(claimed)),
      webhook_(webhook),
      began_(steady_clock::now()),
      session_(context.fetcher, context.robots, context.options.politeness,
               began_ + context.options.limits.time),
      products_(context.registry.pages_of_type(shop_.domain, std::string(name_of(PageKind::Product)))) {}

void ScrapeJob::begin() {
  context_.activity.begin(Work::Scrape, shop_.domain);
  next();
}

void ScrapeJob::next() {
  if (is_done_) return;
  const JobLimits& limits = context_.options.limits;
  if (context_.fetcher.is_stopped()) return finish("stopped");
  if (steady_clock::now() - began_ >= limits.time) return finish("time limit");
  if (session_.bytes() >= limits.bytes) return finish("byte limit");
  while (true) {
    if (product_) {
      ++*product_;
    } else {
      product_ = products_.begin();
    }
    if (*product_ == std::default_sentinel)
      return finish(counts_.failed > 0 ? "complete but for pages that failed" : "complete");
    const Result<KnownPage>& page = **product_;
    if (!page) return finish("database: " + page.error().message());
    const auto url = parse_url(page->url);
    if (url) return get(*url, {.page = *page});
  }
}

void ScrapeJob::get(const Url& url, Product product) {
  PageRequest request{.url = url, .headers = {"Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"}};
  request.body_bytes_max = context_.options.limits.page_bytes;
  session_.get(std::move(request), [this, url, product = std::move(product)](PageAnswer answer) {
    take_answer(url, product, std::move(answer));
  });
}

void ScrapeJob::take_answer(const Url& url, const Product& product, PageAnswer answer) {
  switch (answer.outcome) {
    case PageAnswer::Outcome::Disallowed:
      ++counts_.disallowed;
      return next();
    case PageAnswer::Outcome::RobotsUnavailable:
      if (answer.response.failure == FetchResponse::Failure::Stopped ||
          answer.response.failure == FetchResponse::Failure::OutOfTime)
        return take_failure(answer.response);
      context_.activity.error(shop_.domain);
      return finish("robots.txt is not available");
    case PageAnswer::Outcome::Failed:
      return take_failure(answer.response);
    case PageAnswer::Outcome::Answered:
      return take_response(url, product, std::move(answer.response));
  }
}

void ScrapeJob::take_failure(const FetchResponse& response) {
  using Failure = FetchResponse::Failure;
  if (response.failure == Failure::Stopped) return finish("stopped");
  if (response.failure == Failure::OutOfTime) return finish("time limit");
  ++counts_.failed;
  context_.activity.error(shop_.domain);
  if (response.failure == Failure::RefusedAddress) return finish("refused: " + response.problem);
  if (const auto wait = long_wait_asked_by(response))
    return finish("asks to wait for " + std::to_string(wait->count()) + " s");
  if (++failures_in_a_row_ < kProductFailuresMax) return next();
  const std::string why = response.status > 0 ? "answers with " + std::to_string(response.status)
                                              : "not reachable: " + response.problem;
  finish(why);
}

void ScrapeJob::take_response(const Url& url, const Product& product, FetchResponse response) {
  if (response.status >= 500 || response.status == 429) return take_failure(response);
  failures_in_a_row_ = 0;
  if (leads_elsewhere(response.status)) {
    const auto to = resolve(url, response.location);
    if (to && product.redirects < kProductRedirectsMax && is_host_of(shop_.domain, to->host)) {
      return get(*to, {product.page, product.redirects + 1});
    }
    ++counts_.failed;
    return next();
  }
  ++counts_.pages;
  context_.activity.page(Work::Scrape, shop_.domain);
  if (response.status == 404 || response.status == 410) {
    compare(product.page, {.availability = Availability::Removed});
  } else if (response.status == 200) {
    const Document document(to_utf8(std::move(response.body), response.content_type));
    compare(product.page, read_offer(read_structured_data(document)).value_or(Offer()));
  } else {
    ++counts_.failed;
  }
  next();
}

void ScrapeJob::compare(const KnownPage& page, const Offer& offer) {
  const std::string status(name_of(offer.availability));
  const auto price = offer.price ? std::optional(offer.price->amount.to_string()) : std::nullopt;
  const std::string hash = sha256_hex(status + "|" + price.value_or(""));  // AH13
  if (page.hash == hash) {
    ++counts_.unchanged;
    return;
  }
  Record change;
  change.text("event", "changed").text("domain", shop_.domain).text("url", page.url).text("status", status);
  price ? change.text("price", *price) : change.null("price");
  if (offer.price && offer.price->highest) change.text("highest_price", offer.price->highest->to_string());
  const std::string currency = offer.price ? offer.price->currency : "";
  currency.empty() ? change.null("currency") : change.text("currency", currency);
  const std::string id = id_of_change({.url = page.url,
                                       .before = page.hash.value_or(""),
                                       .after = hash,
                                       .since = shop_.last_scraped_end.value_or("")});
  change.boolean("first", !page.hash).text("hash", hash).text("id", id).text("at", to_text(now()));
  // The message is on disk before the hash is in the registry: a crash in between repeats a change, and loses none.
  if (webhook_ != nullptr) {
    if (const auto sent = webhook_->send(id, change.to_json()); !sent) return finish(sent.error().message());
  }
  const auto recorded = context_.registry.record(shop_.domain, page.url, status, price);
  if (!recorded) return finish("database: " + recorded.error().message());
  ++counts_.changed;
  context_.activity.change();
  context_.report(change);
}

void ScrapeJob::finish(const std::string& outcome) {
  if (is_done_) return;
  is_done_ = true;
  std::string end = outcome;
  const auto finished = context_.registry.finish(Work::Scrape, shop_);
  if (!finished)
    end = "database: " + finished.error().message() + "; the shop stays in progress until it is reset";
  if (finished && !*finished) end = "given up: the scrape was reset while it ran";
  context_.activity.end(Work::Scrape, shop_.domain);
  Record record;
  record.text("event", "scraped").text("domain", shop_.domain).text("outcome", end);
  record.number("pages", counts_.pages)
      .number("changed", counts_.changed)
      .number("unchanged", counts_.unchanged);
  record.number("disallowed", counts_.disallowed).number("failed", counts_.failed);
  record.number("requests", session_.requests()).number("bytes", session_.bytes());
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began_);
  record.number("milliseconds", taken.count());
  context_.report(record);
}

}  // namespace crawler
