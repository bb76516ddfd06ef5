// Reads one page for somebody who waits for it, and says why there is none.
#pragma once

#include <chrono>
#include <string>

#include <tavola/error.h>

#include "web/fetcher.h"
#include "web/url.h"

namespace crawler {

struct OnePage {
  Url address{};       // after redirects
  std::string html{};  // in UTF-8
};

// Reads a page of HTML or text, following at most five redirects. All of it, name resolution and redirects included, takes at most
// `options.timeout`, and every address is judged by `options.addresses`. robots.txt is not asked: it is for crawlers (RFC 9309, section
// 1), and this is a person's request for one page. Fails with Validation, in words for people.
tavola::Result<OnePage> read_one_page(const FetcherOptions& options, const Url& address);

}  // namespace crawler
