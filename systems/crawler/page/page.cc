#include "page/page.h"

#include <algorithm>
#include <array>
#include <string>

namespace crawler {
namespace {

constexpr std::size_t kLinksMax = 10'000;

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::any_of(words_of(list),
                             [word](std::string_view one) { return same_letters(one, word); });
}

constexpr std::string_view kOwnName = "tavola-crawler";

// Takes the part before a separator off the text.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// Takes directives separated by commas: "noindex, nofollow". In a header, a name before one is the crawler that the rest of the line is for
// ("otherbot: noindex, nofollow"); these directives have a value instead ("max-snippet: 50").
void obey(std::string_view directives, Page& page) {
  constexpr auto kWithValues = std::to_array<std::string_view>(
      {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"});
  bool is_for_us = true;
  while (!directives.empty()) {
    std::string directive = small_letters(trimmed(take_part(directives, ',')));
    const std::size_t colon = directive.find(':');
    const std::string name(trimmed(std::string_view(directive).substr(0, colon)));
    if (colon != std::string::npos && std::ranges::find(kWithValues, name) == kWithValues.end()) {
      is_for_us = name == kOwnName;
      directive = trimmed(std::string_view(directive).substr(colon + 1));
    }
    if (!is_for_us) continue;
    if (directive == "noindex" || directive == "none") page.may_be_stored = false;
    if (directive == "nofollow" || directive == "none") page.links_may_be_followed = false;
  }
}

// Returns whether the address ends as those of pictures, documents and scripts do: they have no links, and take room of pages.
bool is_file(const Url& url) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {"7z",   "avi", "avif", "bmp",  "css", "csv",  "doc",  "docx", "eot",   "exe", "gif",  "gz",  "ico",
       "jpeg", "jpg", "js",   "json", "m4a", "mov",  "mp3",  "mp4",  "ogg",   "pdf", "png",  "ppt", "rar",
       "svg",  "tar", "tif",  "ttf",  "wav", "webm", "webp", "woff", "woff2", "xls", "xlsx", "xml", "zip"});
  const std::size_t dot = url.path.find_last_of("./");
  if (dot == std::string::npos || url.path[dot] != '.') return false;
  return std::ranges::find(kEndings, small_letters(std::string_view(url.path).substr(dot + 1))) !=
         kEndings.end();
}

void read_link(const Element& element, std::string_view name, Page& page) {
  const auto href = element.attribute("href");
  const std::string_view relation = element.attribute("rel").value_or("");
  if (!href || trimmed(*href).empty()) return;
  if (name == "link") {
    if (has_word(relation, "canonical") && !page.canonical) page.canonical = resolve(page.base, *href);
    if (!has_word(relation, "next") && !has_word(relation, "prev")) return;
  }
  if (trimmed(*href).starts_with('#') || has_word(relation, "nofollow") || page.links.size() == kLinksMax)
    return;
  auto url = resolve(page.base, *href);
  if (url && !is_file(*url)) page.links.push_back(*std::move(url));
}

}  // namespace

Page read_page(const Document& document, const Url& address, std::string_view robots_tag) {
  Page page{.base = address};
  while (!robots_tag.empty()) obey(take_part(robots_tag, '\n'), page);
  bool has_base = false;
  for_each_element(document.root(), [&](const Element& element) {
    const std::string_view name = element.name();
    if (name == "a" || name == "area" || name == "link") return read_link(element, name, page);
    if (name == "base" && !has_base && element.has("href")) {
      has_base = true;
      page.base = resolve(address, *element.attribute("href")).value_or(address);
    }
    if (name != "meta") return;
    const std::string_view meta = element.attribute("name").value_or("");
    if (same_letters(meta, "robots") || same_letters(meta, kOwnName))
      obey(element.attribute("content").value_or(""), page);
  });
  return page;
}

}  // namespace crawler
