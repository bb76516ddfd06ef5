// The title, the description and the text that a person reads on a page, without menus, forms and footers.
#pragma once

#include <cstddef>
#include <string>

#include "page/document.h"

namespace crawler {

struct ReadableLimits {
  std::size_t title_bytes_max = 300;
  std::size_t description_bytes_max = 5'000;
  std::size_t text_bytes_max = std::size_t{64} * 1024;
};

// Each is empty if the page has none, and is cut between two words where it is longer than its limit.
struct Readable {
  std::string title{};        // <title>, or else Open Graph's, or else the first heading
  std::string description{};  // <meta name=description>, or else Open Graph's
  std::string text{};         // a paragraph per line
};

// The text is that of <main>, or of the article if the page has one, or else of <body>; navigation, forms, footers and hidden parts are
// left out.
Readable read_readable(const Document& document, const ReadableLimits& limits = {});

}  // namespace crawler
