#include "work/crawl_job.h"

#include <algorithm>

#include "page/structured_data.h"
#include "web/charset.h"
#include "work/times.h"

namespace crawler {
namespace {

using std::chrono::steady_clock;
using tavola::Result;

constexpr unsigned kPageRedirectsMax = 5;
constexpr unsigned kSitemapDepthMax = 2;
constexpr std::size_t kSitemapsMax = 500;
constexpr std::size_t kFailuresInARowMax = 5;

bool is_html(std::string_view content_type) {
  const std::string type = small_letters(trimmed(content_type.substr(0, content_type.find(';'))));
  return type.empty() || type == "text/html" || type == "application/xhtml+xml";
}

constexpr std::string_view kComplete = "complete";

bool was_complete(const Shop& shop) {
  if (shop.crawl_outcome != kComplete || !shop.last_crawled_end) return false;
  return !shop.crawl_reset_at || *shop.crawl_reset_at < *shop.last_crawled_end;
}

bool is_redirect_status(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

CrawlJob::CrawlJob(const JobContext& context, Shop claimed)
    : context_(context),
      shop_(std::move(claimed)),
      began_(steady_clock::now()),
      session_(context.fetcher, context.robots, context.options.politeness,
               began_ + context.options.limits.time),
      frontier_({.pages = context.options.limits.pages, .depth = context.options.limits.depth}),
      may_skip_unchanged_(was_complete(shop_)) {}

void CrawlJob::begin() {
  context_.activity.begin(Work::Crawl, shop_.domain);
  if (const auto loaded = load_known_pages(); !loaded) return finish("database: " + loaded.error().message());
  const auto front = parse_url(context_.options.scheme + "://" + shop_.domain + "/");
  if (!front) return finish("the domain is no name of a host");
  frontier_.add({.url = *front});
  next();
}

Result<void> CrawlJob::load_known_pages() {
  for (const Result<KnownPage>& page : context_.registry.pages(shop_.domain)) {
    TAVOLA_CHECK(page);
    known_.try_emplace(page->url, Validators{page->etag.value_or(""), page->last_modified.value_or("")});
    if (known_.size() >= context_.options.limits.pages) break;
  }
  return {};
}

std::string CrawlJob::limit_reached() const {
  const JobLimits& limits = context_.options.limits;
  if (context_.fetcher.is_stopped()) return "stopped";
  if (steady_clock::now() - began_ >= limits.time) return "time limit";
  if (session_.bytes() >= limits.bytes) return "byte limit";
  return {};
}

void CrawlJob::next() {
  if (is_done_) return;
  if (const std::string limit = limit_reached(); !limit.empty()) return finish(limit);
  if (has_front_ && !sitemaps_.empty()) {
    const Sitemap sitemap = std::move(sitemaps_.front());
    sitemaps_.pop_front();
    return read_sitemap(sitemap);
  }
  if (has_front_ && !has_known_pages_) add_known_pages();
  auto page = frontier_.next();
  if (page) return get(*std::move(page));
  if (frontier_.beyond_limits() > 0) return finish(frontier_.has_all_pages() ? "page limit" : "depth limit");
  finish(counts_.failed > 0 ? "complete but for pages that failed" : std::string(kComplete));
}

void CrawlJob::get(FrontierPage page) {
  PageRequest request{.url = page.url, .body_bytes_max = context_.options.limits.page_bytes};
  request.headers = {"Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"};
  if (const auto known = known_.find(page.url.text()); known != known_.end() && may_skip_unchanged_) {
    if (!known->second.etag.empty()) request.headers.push_back("If-None-Match: " + known->second.etag);
    if (!known->second.last_modified.empty())
      request.headers.push_back("If-Modified-Since: " + known->second.last_modified);
  }
  session_.get(std::move(request),
               [this, page = std::move(page)](PageAnswer answer) { take_answer(page, std::move(answer)); });
}

void CrawlJob::take_answer(const FrontierPage& page, PageAnswer answer) {
  switch (answer.outcome) {
    case PageAnswer::Outcome::Disallowed:
      ++counts_.disallowed;
      if (!has_front_) begin_sitemaps(page.url);  // the front page may be forbidden, and others not
      return next();
    case PageAnswer::Outcome::RobotsUnavailable:
      if (answer.response.failure == FetchResponse::Failure::None) {
        context_.activity.error(shop_.domain);
        return finish("robots.txt is not available (" + std::to_string(answer.response.status) + ")");
      }
      return take_failure(page, answer.response);
    case PageAnswer::Outcome::Failed:
      return take_failure(page, answer.response);
    case PageAnswer::Outcome::Answered:
      return take_response(page, std::move(answer.response));
  }
}

void CrawlJob::take_failure(const FrontierPage& page, const FetchResponse& response) {
  using Failure = FetchResponse::Failure;
  if (response.failure == Failure::Stopped) return finish("stopped");
  if (response.failure == Failure::OutOfTime) return finish("time limit");
  const bool has_no_tls = response.failure == Failure::Tls || response.failure == Failure::Unreachable;
  if (!has_front_ && page.url.scheme == "https" &&
      has_no_tls) {  // no failure of the shop: it may have http alone
    Url plain = page.url;
    plain.scheme = "http";
    frontier_.add({.url = plain});
    return next();
  }
  ++counts_.failed;
  context_.activity.error(shop_.domain);
  if (response.failure == Failure::RefusedAddress) return finish("refused: " + response.problem);
  if (!has_front_ || ++failures_in_a_row_ >= kFailuresInARowMax) {
    return finish("not reachable: " + std::string(name_of(response.failure)) +
                  (response.problem.empty() ? "" : ", " + response.problem));
  }
  next();
}

void CrawlJob::take_response(const FrontierPage& page, FetchResponse response) {
  if (is_redirect_status(response.status)) return take_redirect(page, response);
  if (!has_front_) begin_sitemaps(page.url);
  const bool is_server_error = response.status >= 500 || response.status == 429;
  failures_in_a_row_ = is_server_error ? failures_in_a_row_ + 1 : 0;
  if (is_server_error) {
    ++counts_.failed;
    context_.activity.error(shop_.domain);
    if (const auto wait = long_wait_asked_by(response))
      return finish("asks to wait for " + std::to_string(wait->count()) + " s");
    if (failures_in_a_row_ >= kFailuresInARowMax)
      return finish("answers with " + std::to_string(response.status));
  } else if (response.status == 304) {
    ++counts_.pages;
    ++counts_.unchanged;
    context_.activity.page(Work::Crawl, shop_.domain);
  } else if (response.status == 404 || response.status == 410) {
    forget(page.url);
  } else if (response.status == 200) {
    take_page(page, std::move(response));
  }
  next();
}

void CrawlJob::take_redirect(const FrontierPage& page, const FetchResponse& response) {
  const auto to = resolve(page.url, response.location);
  if (response.status == 301 || response.status == 308) forget(page.url);
  if (!to || page.redirects == kPageRedirectsMax) {
    if (!has_front_) return finish("its front page redirects without end");
    return next();
  }
  if (!is_host_of(shop_.domain, to->host)) {
    if (!has_front_) return finish("moved to " + to->host + ", which is another shop: register it");
    return next();
  }
  frontier_.add({.url = without_tracking(*to), .depth = page.depth, .redirects = page.redirects + 1});
  next();
}

void CrawlJob::take_page(const FrontierPage& from, FetchResponse response) {
  ++counts_.pages;
  context_.activity.page(Work::Crawl, shop_.domain);
  if (!is_html(response.content_type)) return;
  const Document document(to_utf8(std::move(response.body), response.content_type));
  const Page page = read_page(document, from.url, response.robots_tag);
  if (page.links_may_be_followed) follow_links(page, from.depth);
  if (!page.may_be_stored) return forget(from.url);
  const StructuredData data = read_structured_data(document);
  standards_.insert(data.standards.begin(), data.standards.end());
  SeenPage seen{.kind = classify(data), .standards = data.standards};
  const Url address = stored_address(from, page);
  seen.url = address.text();
  if (address == from.url) {
    seen.etag = response.etag;
    seen.last_modified = response.last_modified;
  } else {
    forget(from.url);
  }
  ++counts_.kinds[seen.kind];
  store(std::move(seen));
}

void CrawlJob::follow_links(const Page& page, unsigned depth) {
  for (const Url& link : page.links) {
    if (is_host_of(shop_.domain, link.host))
      frontier_.add({.url = without_tracking(link), .depth = depth + 1});
  }
}

// Returns the canonical address, if the page names one of its shop that this crawl has not read itself. A whole shop whose canonical
// address is its front page is a mistake of many templates, which is ignored.
Url CrawlJob::stored_address(const FrontierPage& from, const Page& page) {
  if (!page.canonical || !is_host_of(shop_.domain, page.canonical->host)) return from.url;
  Url canonical = without_tracking(*page.canonical);
  if (canonical == from.url || canonical.target() == "/") return from.url;
  frontier_.mark(canonical);
  return canonical;
}

void CrawlJob::forget(const Url& url) {
  const auto known = known_.find(url.text());
  if (known == known_.end()) return;
  if (const auto removed = context_.registry.remove(shop_.domain, known->first); !removed) {
    return finish("database: " + removed.error().message());
  }
  ++counts_.removed;
  known_.erase(known);
}

void CrawlJob::begin_sitemaps(const Url& front) {
  has_front_ = true;
  const Robots* const robots = session_.robots(front.origin());
  std::vector<std::string> named = robots == nullptr ? std::vector<std::string>() : robots->sitemaps();
  if (named.empty()) named.push_back(front.origin() + "/sitemap.xml");
  for (const std::string& address : named) {
    const auto url = resolve(front, address);
    if (!url || !is_host_of(shop_.domain, url->host) || sitemaps_added_ == kSitemapsMax) continue;
    ++sitemaps_added_;
    sitemaps_.push_back({*url, 0});
  }
}

void CrawlJob::read_sitemap(const Sitemap& sitemap) {
  PageRequest request{.url = sitemap.url, .body_bytes_max = kSitemapBytesMax};
  request.on_attempt = [this, depth = sitemap.depth] {
    reader_ = std::make_unique<SitemapReader>(
        [this, depth](const SitemapEntry& entry) { take_entry(entry, depth); });
  };
  request.on_body = [this](std::string_view bytes) { return reader_->read(bytes); };
  session_.get(std::move(request), [this](PageAnswer answer) {
    if (answer.response.failure == FetchResponse::Failure::Stopped) return finish("stopped");
    if (answer.response.failure == FetchResponse::Failure::OutOfTime) return finish("time limit");
    const bool is_read = answer.outcome == PageAnswer::Outcome::Answered && answer.response.status == 200;
    if (is_read) {
      reader_->finish();
      ++counts_.sitemaps;
      counts_.sitemap_entries += reader_->entries();
    }
    next();
  });
}

void CrawlJob::take_entry(const SitemapEntry& entry, unsigned depth) {
  auto url = parse_url(entry.location);
  if (!url || !is_host_of(shop_.domain, url->host)) return;
  if (entry.kind == SitemapEntry::Kind::Sitemap) {
    if (depth == kSitemapDepthMax || sitemaps_added_ == kSitemapsMax) return;
    ++sitemaps_added_;
    sitemaps_.push_back({*std::move(url), depth + 1});
    return;
  }
  url = without_tracking(*std::move(url));
  // A page may have changed after the last crawl had read it and before that crawl ended, which took less than kJobTimeMax.
  const auto crawled = shop_.last_crawled_end ? read_time(*shop_.last_crawled_end) : std::nullopt;
  const bool is_unchanged = may_skip_unchanged_ && entry.changed_until && crawled &&
                            *entry.changed_until < *crawled - kJobTimeMax && known_.contains(url->text());
  if (!is_unchanged) {
    frontier_.add({.url = *std::move(url), .depth = 1});
  } else if (frontier_.mark(*url)) {
    ++counts_.unchanged;
  }
}

// Pages that an earlier crawl found are read again, also where no link leads to them any more.
void CrawlJob::add_known_pages() {
  has_known_pages_ = true;
  for (const auto& [address, validators] : known_) {
    if (auto url = parse_url(address))
      frontier_.add({.url = *std::move(url), .depth = std::min(1U, context_.options.limits.depth)});
  }
}

void CrawlJob::store(SeenPage page) {
  pending_.push_back(std::move(page));
  if (pending_.size() >= Registry::kBatchMax) flush();
}

bool CrawlJob::flush() {
  // A page can be there twice, by its canonical address; a transaction changes an item once.
  std::ranges::sort(pending_, {}, &SeenPage::url);
  const auto repeated = std::ranges::unique(pending_, {}, &SeenPage::url);
  pending_.erase(repeated.begin(), repeated.end());
  const auto stored = context_.registry.store(shop_.domain, pending_);
  if (stored) counts_.stored += pending_.size();
  pending_.clear();
  if (!stored) finish("database: " + stored.error().message());
  return stored.has_value();
}

void CrawlJob::finish(const std::string& outcome) {
  if (is_done_) return;
  is_done_ = true;  // first: flush() calls this again when it fails
  std::string end = outcome;
  if (!pending_.empty() && !flush()) end = "database: some pages were not stored";
  const auto kept = context_.registry.set_outcome(shop_.domain, end, {standards_.begin(), standards_.end()});
  if (!kept) end = "database: " + kept.error().message();
  const auto finished = context_.registry.finish(Work::Crawl, shop_);
  if (!finished)
    end = "database: " + finished.error().message() + "; the shop stays in progress until it is reset";
  if (finished && !*finished) end = "given up: the crawl was reset while it ran";
  context_.activity.end(Work::Crawl, shop_.domain);
  report(end);
}

void CrawlJob::report(const std::string& outcome) {
  Record record;
  record.text("event", "crawled").text("domain", shop_.domain).text("outcome", outcome);
  record.number("pages", counts_.pages)
      .number("unchanged", counts_.unchanged)
      .number("stored", counts_.stored);
  record.number("removed", counts_.removed)
      .number("disallowed", counts_.disallowed)
      .number("failed", counts_.failed);
  record.number("traps", frontier_.traps()).number("beyond_limits", frontier_.beyond_limits());
  record.number("sitemaps", counts_.sitemaps).number("sitemap_entries", counts_.sitemap_entries);
  for (const PageKind kind : {PageKind::Product, PageKind::Category, PageKind::Listing, PageKind::Other}) {
    record.number(name_of(kind), counts_.kinds[kind]);
  }
  record.list("standards", {standards_.begin(), standards_.end()});
  record.number("requests", session_.requests()).number("bytes", session_.bytes());
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began_);
  record.number("milliseconds", taken.count());
  context_.report(record);
}

}  // namespace crawler
