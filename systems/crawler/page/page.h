// A page as the crawler sees it: its links, its canonical address, and what it forbids.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/document.h"
#include "web/url.h"

namespace crawler {

struct Page {
  Url base{};                // that references are resolved against: <base href>, or the page's own address
  std::vector<Url> links{};  // in the order of the page, without those that say rel=nofollow
  std::optional<Url> canonical{};     // <link rel=canonical>
  bool may_be_stored = true;          // false: <meta name=robots content=noindex>
  bool links_may_be_followed = true;  // false: nofollow
};

// `robots_tag` are the headers X-Robots-Tag, a line each, which say the same as <meta name=robots>.
Page read_page(const Document& document, const Url& address, std::string_view robots_tag);

}  // namespace crawler
