// Reads the pages of one host politely: one request at a time, with pauses between them, by the rules of its robots.txt (RFC 9309),
// and again after failures that pass.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/fetcher.h"
#include "web/robots.h"
#include "web/url.h"

namespace crawler {

struct Politeness {
  std::string product_token{"tavola-crawler"};  // in robots.txt
  std::chrono::milliseconds delay =
      std::chrono::seconds(1);  // between two requests; a longer Crawl-delay counts
  unsigned retries = 3;         // after connections that fail, 429 and 5xx
  std::chrono::milliseconds retry_delay = std::chrono::seconds(2);  // doubles with each retry
};

// The rules of origins, kept for a day (RFC 9309, section 2.4). Thread safety: one thread.
class RobotsCache {
 public:
  const Robots* find(const std::string& origin);
  const Robots& keep(const std::string& origin, Robots robots);

 private:
  struct Kept {
    Robots robots;
    std::chrono::steady_clock::time_point until;
  };
  std::map<std::string, Kept, std::less<>> kept_;
};

struct PageRequest {
  Url url{};
  std::vector<std::string> headers{};
  std::size_t body_bytes_max = std::size_t{8} * 1024 * 1024;
  std::function<bool(std::string_view)> on_body{};
  std::function<void()>
      on_attempt{};  // called before each attempt: `on_body` gets the body from its beginning
};

struct PageAnswer {
  enum class Outcome : std::uint8_t {
    Answered,           // with any status
    Disallowed,         // robots.txt
    RobotsUnavailable,  // robots.txt answers 5xx or not at all: the whole origin counts as disallowed
    Failed,             // no answer, after all retries
  };
  Outcome outcome = Outcome::Answered;
  FetchResponse response{};
};

// Returns how long a response asks to wait (Retry-After), if that is too long for a retry in the same session.
std::optional<std::chrono::seconds> long_wait_asked_by(const FetchResponse& response);

// Thread safety: one thread. A session must live until its request is done.
class HostSession {
 public:
  // No request begins at or after `until`, however long the pauses are that the host asks for.
  HostSession(Fetcher& fetcher, RobotsCache& cache, const Politeness& politeness,
              std::chrono::steady_clock::time_point until)
      : fetcher_(fetcher), cache_(cache), politeness_(politeness), until_(until) {}

  using OnAnswer = std::function<void(PageAnswer)>;
  // Reads a page; the session must have no other request. `done` is called by Fetcher::turn().
  void get(PageRequest request, OnAnswer done);

  // Returns the rules of an origin if they are known: after a page of it was read.
  const Robots* robots(const std::string& origin) { return cache_.find(origin); }
  std::size_t requests() const { return requests_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Attempt {
    PageRequest request;
    OnAnswer done;
    unsigned number = 0;
  };
  void get_page(Attempt attempt, const Robots& robots);
  void get_robots(Url url, Attempt attempt, unsigned redirects);
  void try_robots(const Url& url, Attempt page, unsigned redirects, unsigned number);
  void send(FetchRequest request, Fetcher::OnDone done);
  void send_page(Attempt attempt);
  std::optional<std::chrono::milliseconds> pause_before_retry(const FetchResponse& response,
                                                              unsigned number) const;
  void finish(Attempt& attempt, PageAnswer::Outcome outcome, FetchResponse response);

  Fetcher& fetcher_;
  RobotsCache& cache_;
  const Politeness& politeness_;
  std::chrono::steady_clock::time_point until_;
  std::chrono::milliseconds crawl_delay_{0};
  std::chrono::steady_clock::time_point free_at_{};
  std::size_t requests_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace crawler
