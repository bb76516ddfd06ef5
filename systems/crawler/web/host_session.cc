#include "web/host_session.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <curl/curl.h>
#include <utility>

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr unsigned kRobotsRedirectsMax = 5;  // RFC 9309, section 2.3.1.2
constexpr std::size_t kRobotsCacheMax = 2000;
constexpr milliseconds kRetryPauseMax = std::chrono::minutes(2);

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Reads Retry-After: a number of seconds, or a date (RFC 9110, section 10.2.3).
std::optional<std::chrono::seconds> read_retry_after(const std::string& text) {
  unsigned seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (problem == std::errc() && end == text.data() + text.size()) return std::chrono::seconds(seconds);
  const std::time_t date = text.empty() ? -1 : curl_getdate(text.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return std::chrono::seconds(std::max<std::time_t>(date - std::time(nullptr), 0));
}

}  // namespace

std::optional<std::chrono::seconds> long_wait_asked_by(const FetchResponse& response) {
  const auto asked = read_retry_after(response.retry_after);
  return asked > kRetryPauseMax ? asked : std::nullopt;
}

const Robots* RobotsCache::find(const std::string& origin) {
  const auto found = kept_.find(origin);
  if (found == kept_.end()) return nullptr;
  if (found->second.until > steady_clock::now()) return &found->second.robots;
  kept_.erase(found);
  return nullptr;
}

const Robots& RobotsCache::keep(const std::string& origin, Robots robots) {
  if (kept_.size() >= kRobotsCacheMax) kept_.clear();
  Kept& kept = kept_[origin];
  kept = {std::move(robots), steady_clock::now() + std::chrono::hours(24)};
  return kept.robots;
}

void HostSession::get(PageRequest request, OnAnswer done) {
  const Robots* const robots = cache_.find(request.url.origin());
  Attempt attempt{.request = std::move(request), .done = std::move(done)};
  if (robots != nullptr) return get_page(std::move(attempt), *robots);
  const auto url = resolve(attempt.request.url, "/robots.txt");
  get_robots(*url, std::move(attempt), 0);
}

void HostSession::get_page(Attempt attempt, const Robots& robots) {
  crawl_delay_ = robots.crawl_delay().value_or(milliseconds(0));
  if (robots.allows(attempt.request.url.target())) return send_page(std::move(attempt));
  // By a timer, so that a row of forbidden pages does not nest calls.
  fetcher_.after(milliseconds(0), [this, attempt = std::move(attempt)]() mutable {
    finish(attempt, PageAnswer::Outcome::Disallowed, {});
  });
}

void HostSession::get_robots(Url url, Attempt attempt, unsigned redirects) {
  try_robots(url, std::move(attempt), redirects, 0);
}

void HostSession::try_robots(const Url& url, Attempt page, unsigned redirects, unsigned number) {
  send({.url = url.text(), .body_bytes_max = kRobotsBytesMax},
       [this, url, page = std::move(page), redirects, number](FetchResponse response) mutable {
         const std::string origin = page.request.url.origin();
         if (is_redirect(response.status)) {
           const auto next = resolve(url, response.location);
           if (next && redirects < kRobotsRedirectsMax)
             return get_robots(*next, std::move(page), redirects + 1);
           return get_page(std::move(page), cache_.keep(origin, Robots::allowing_all()));
         }
         if (response.status >= 200 && response.status < 300) {
           return get_page(std::move(page),
                           cache_.keep(origin, Robots::parse(response.body, politeness_.product_token)));
         }
         const auto pause = pause_before_retry(response, number);
         if (pause) {
           return fetcher_.after(*pause, [this, url, page = std::move(page), redirects, number]() mutable {
             try_robots(url, std::move(page), redirects, number + 1);
           });
         }
         if (response.status >= 400 && response.status < 500) {
           return get_page(std::move(page), cache_.keep(origin, Robots::allowing_all()));
         }
         finish(page, PageAnswer::Outcome::RobotsUnavailable, std::move(response));
       });
}

void HostSession::send(FetchRequest request, Fetcher::OnDone done) {
  if (std::max(free_at_, steady_clock::now()) >= until_) {
    return fetcher_.after(milliseconds(0), [done = std::move(done)] {
      done({.failure = FetchResponse::Failure::OutOfTime, .problem = "the time is over"});
    });
  }
  const auto wait = std::chrono::ceil<milliseconds>(free_at_ - steady_clock::now());
  auto start = [this, request = std::move(request), done = std::move(done)]() mutable {
    ++requests_;
    fetcher_.start(std::move(request), [this, done = std::move(done)](FetchResponse response) {
      free_at_ = steady_clock::now() + std::max(politeness_.delay, crawl_delay_);
      bytes_ += response.bytes;
      done(std::move(response));
    });
  };
  if (wait.count() <= 0) return start();
  fetcher_.after(wait, std::move(start));
}

void HostSession::send_page(Attempt attempt) {
  if (attempt.request.on_attempt) attempt.request.on_attempt();
  FetchRequest request{.url = attempt.request.url.text(),
                       .headers = attempt.request.headers,
                       .body_bytes_max = attempt.request.body_bytes_max,
                       .on_body = attempt.request.on_body};
  send(std::move(request), [this, attempt = std::move(attempt)](FetchResponse response) mutable {
    const auto pause = pause_before_retry(response, attempt.number);
    if (pause) {
      return fetcher_.after(*pause, [this, attempt = std::move(attempt)]() mutable {
        ++attempt.number;
        send_page(std::move(attempt));
      });
    }
    const bool is_answered = response.failure == FetchResponse::Failure::None;
    finish(attempt, is_answered ? PageAnswer::Outcome::Answered : PageAnswer::Outcome::Failed,
           std::move(response));
  });
}

// Returns nullopt if the response is final.
std::optional<milliseconds> HostSession::pause_before_retry(const FetchResponse& response,
                                                            unsigned number) const {
  using Failure = FetchResponse::Failure;
  const bool is_passing = response.failure == Failure::Unreachable || response.failure == Failure::Timeout ||
                          response.failure == Failure::Broken || response.status == 429 ||
                          response.status >= 500;
  if (!is_passing || number >= politeness_.retries || fetcher_.is_stopped()) return std::nullopt;
  if (long_wait_asked_by(response)) return std::nullopt;
  const milliseconds growing = politeness_.retry_delay * (1U << std::min(number, 10U));
  const milliseconds asked = read_retry_after(response.retry_after).value_or(std::chrono::seconds(0));
  const milliseconds pause = std::min(std::max(asked, growing), kRetryPauseMax);
  return steady_clock::now() + pause < until_ ? std::optional(pause) : std::nullopt;
}

void HostSession::finish(Attempt& attempt, PageAnswer::Outcome outcome, FetchResponse response) {
  const OnAnswer done = std::move(attempt.done);
  done({.outcome = outcome, .response = std::move(response)});
}

}  // namespace crawler
