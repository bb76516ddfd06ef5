// Pages that a login shows outside of the application: they need no script, and look like its login page.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/pages/assets.h"

namespace tavola::systems {

// Returns text as it is written in HTML, also within a quoted attribute.
std::string html_text(std::string_view text);

struct PlainPage {
  int status = 200;
  std::string title = {};
  std::string body = {};   // HTML
  std::string style = {};  // the address of its style sheet; empty: none
};
// Returns the answer, which may not be kept anywhere.
http::Response plain_page(const PlainPage& page);

// Returns the style sheet of the application's pages; null if there is none.
const http::Asset* style_sheet(std::span<const http::Asset> assets);

}  // namespace tavola::systems
