#include "systems/host/openid/plain_page.h"

#include <algorithm>

namespace tavola::systems {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

http::Response plain_page(const PlainPage& page) {
  http::Response response{.status = page.status, .content_type = "text/html; charset=utf-8"};
  response.add_header("Cache-Control", "no-store");
  const std::string title = html_text(page.title);
  const std::string style =
      page.style.empty() ? "" : "<link rel=\"stylesheet\" href=\"" + html_text(page.style) + "\">";
  response.body =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>" +
      title + "</title>" + style +
      "</head><body><main class=\"login\"><div class=\"panel\"><h1 class=\"brand\">" + title + "</h1>" +
      page.body + "</div></main></body></html>\n";
  return response;
}

const http::Asset* style_sheet(std::span<const http::Asset> assets) {
  const auto found = std::ranges::find_if(
      assets, [](const http::Asset& asset) { return asset.type.starts_with("text/css"); });
  return found == assets.end() ? nullptr : &*found;
}

}  // namespace tavola::systems
