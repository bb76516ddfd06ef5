#include "web/one_page.h"

#include <optional>
#include <utility>

#include "web/charset.h"

namespace crawler {
namespace {

using std::chrono::steady_clock;

constexpr int kRedirectsMax = 5;
constexpr std::size_t kPageBytesMax = std::size_t{4} * 1024 * 1024;

tavola::Error refusal(const Url& address, std::string_view why) {
  return tavola::Error::validation(address.origin() + " " + std::string(why));
}

FetchResponse fetch(FetcherOptions options, const Url& address, std::chrono::milliseconds left) {
  options.timeout = left;
  Fetcher fetcher(std::move(options));
  FetchResponse response;
  fetcher.start({.url = address.text(),
                 .headers = {"Accept: text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5"},
                 .body_bytes_max = kPageBytesMax},
                [&response](FetchResponse got) { response = std::move(got); });
  while (fetcher.turn(left)) {
  }
  return response;
}

std::string why_failed(const FetchResponse& response) {
  switch (response.failure) {
    case FetchResponse::Failure::RefusedAddress:
      return "is at a private address, and is not read";
    case FetchResponse::Failure::Timeout:
      return "took too long to answer";
    default:
      return "cannot be read: " + response.problem;
  }
}

bool is_redirect(const FetchResponse& response) {
  return response.status >= 300 && response.status < 400 && !response.location.empty();
}

tavola::Result<OnePage> page_of(const Url& address, FetchResponse response) {
  const std::string type =
      small_letters(trimmed(response.content_type.substr(0, response.content_type.find(';'))));
  if (response.status < 200 || response.status > 299)
    return tavola::fail(refusal(address, "answered with status " + std::to_string(response.status)));
  if (!type.empty() && type != "text/html" && type != "application/xhtml+xml" && type != "text/plain")
    return tavola::fail(refusal(address, "answered with " + type + ", which is not a page"));
  return OnePage{.address = address, .html = to_utf8(std::move(response.body), response.content_type)};
}

}  // namespace

tavola::Result<OnePage> read_one_page(const FetcherOptions& options, const Url& address) {
  const auto until = steady_clock::now() + options.timeout;
  Url next = address;
  for (int redirects = 0; redirects <= kRedirectsMax; ++redirects) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    if (left.count() <= 0) return tavola::fail(refusal(next, "took too long to answer"));
    FetchResponse response = fetch(options, next, left);
    if (response.failure != FetchResponse::Failure::None)
      return tavola::fail(refusal(next, why_failed(response)));
    if (!is_redirect(response)) return page_of(next, std::move(response));
    const auto target = resolve(next, response.location);
    if (!target) return tavola::fail(refusal(next, "redirects to an address that is not of the web"));
    next = *target;
  }
  return tavola::fail(refusal(address, "redirects too often"));
}

}  // namespace crawler
