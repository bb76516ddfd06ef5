// The crawl of one shop: its front page, sitemaps, and links by breadth, within limits; pages are classified and stored in batches.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "page/page.h"
#include "web/sitemap.h"
#include "work/frontier.h"
#include "work/job.h"

namespace crawler {

// Thread safety: one thread. Invariant: whatever ends the crawl, finish() ends its claim, once.
class CrawlJob final : public Job {
 public:
  CrawlJob(const JobContext& context, Shop claimed);

  void begin() override;
  bool is_done() const override { return is_done_; }

 private:
  struct Validators {
    std::string etag;
    std::string last_modified;
  };
  struct Sitemap {
    Url url;
    unsigned depth;  // within indexes
  };
  struct Counts {
    std::size_t pages = 0;  // read
    std::size_t unchanged = 0;
    std::size_t stored = 0;
    std::size_t removed = 0;
    std::size_t disallowed = 0;
    std::size_t failed = 0;
    std::size_t sitemaps = 0;
    std::size_t sitemap_entries = 0;
    std::map<PageKind, std::size_t> kinds{};
  };

  tavola::Result<void> load_known_pages();
  void next();
  std::string limit_reached() const;  // empty if none is
  void get(FrontierPage page);
  void take_answer(const FrontierPage& page, PageAnswer answer);
  void take_response(const FrontierPage& page, FetchResponse response);
  void take_failure(const FrontierPage& page, const FetchResponse& response);
  void take_redirect(const FrontierPage& page, const FetchResponse& response);
  void take_page(const FrontierPage& page, FetchResponse response);
  void follow_links(const Page& page, unsigned depth);
  Url stored_address(const FrontierPage& from, const Page& page);
  void forget(const Url& url);
  void begin_sitemaps(const Url& front);
  void read_sitemap(const Sitemap& sitemap);
  void take_entry(const SitemapEntry& entry, unsigned depth);
  void add_known_pages();
  void store(SeenPage page);
  bool flush();  // false: the crawl is over, because the database failed
  void finish(const std::string& outcome);
  void report(const std::string& outcome);

  JobContext context_;
  Shop shop_;
  std::chrono::steady_clock::time_point began_;
  HostSession session_;
  Frontier frontier_;
  std::unordered_map<std::string, Validators> known_;  // stored pages, by address
  std::deque<Sitemap> sitemaps_;
  std::unique_ptr<SitemapReader> reader_;
  std::size_t sitemaps_added_ = 0;
  // The last crawl read every page, so that an unchanged one has no link that was never followed. Not so after a crawl that reached a
  // limit, or was reset: its pages are read again in full.
  bool may_skip_unchanged_ = false;
  bool has_front_ = false;
  bool has_known_pages_ = false;
  std::vector<SeenPage> pending_;
  std::set<std::string> standards_;
  Counts counts_;
  std::size_t failures_in_a_row_ = 0;
  bool is_done_ = false;
};

}  // namespace crawler
