// The scrape of one shop: reads its product pages again, and reports whose availability or price changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "page/offer.h"
#include "work/job.h"
#include "work/webhook.h"

namespace crawler {

// Thread safety: one thread. Invariant: whatever ends the scrape, finish() ends its claim, once.
class ScrapeJob final : public Job {
 public:
  // `webhook` is borrowed, and null if changes are only printed.
  ScrapeJob(const JobContext& context, Shop claimed, Webhook* webhook);

  void begin() override;
  bool is_done() const override { return is_done_; }

 private:
  struct Counts {
    std::size_t pages = 0;
    std::size_t changed = 0;
    std::size_t unchanged = 0;
    std::size_t disallowed = 0;
    std::size_t failed = 0;
  };
  // The product being read.
  struct Product {
    KnownPage page{};
    unsigned redirects = 0;
  };

  void next();
  void get(const Url& url, Product product);
  void take_answer(const Url& url, const Product& product, PageAnswer answer);
  void take_response(const Url& url, const Product& product, FetchResponse response);
  void take_failure(const FetchResponse& response);
  void compare(const KnownPage& page, const Offer& offer);
  void finish(const std::string& outcome);

  JobContext context_;
  Shop shop_;
  Webhook* webhook_;
  std::chrono::steady_clock::time_point began_;
  HostSession session_;
  tavola::Entities<KnownPage> products_;
  std::optional<tavola::Entities<KnownPage>::Iterator> product_;  // the next one
  Counts counts_;
  std::size_t failures_in_a_row_ = 0;
  bool is_done_ = false;
};

}  // namespace crawler
