#include "page/readable.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "web/url.h"

namespace crawler {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Elements that hold no text of the page's subject.
bool is_aside(const Element& element) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"nav", "footer", "aside", "form", "button", "select", "textarea",
                                       "iframe", "svg", "object", "audio", "video", "canvas", "dialog"});
  constexpr auto kRoles = std::to_array<std::string_view>(
      {"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu"});
  return is_one_of(element.name(), kNames) || is_one_of(element.attribute("role").value_or(""), kRoles) ||
         element.has("hidden") || element.attribute("aria-hidden") == "true";
}

// Elements within a line; all others begin a new one.
bool is_within_line(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"a",    "abbr", "b",    "bdi",     "bdo",    "cite",   "code", "data",  "del",  "dfn",
       "em",   "font", "i",    "img",     "ins",    "kbd",    "mark", "q",     "rp",   "rt",
       "ruby", "s",    "samp", "small",   "span",   "strong", "sub",  "sup",   "time", "tt",
       "u",    "var",  "wbr",  "picture", "source", "label",  "big",  "strike"});
  return is_one_of(name, kNames);
}

// Returns the text cut between two words, or else between two characters.
std::string cut(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  if (const std::size_t space = text.find_last_of(" \n", end); space != std::string::npos && space > end / 2)
    end = space;
  text.resize(end);
  return text;
}

// Collects lines of text until there are enough.
class Lines final : public Visitor {
 public:
  explicit Lines(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  bool enter(const Element& element) override {
    if (is_full() || is_aside(element)) return false;
    if (element.name() == "article") ++articles_;
    // The header of a site is a menu; that of an article has its title.
    if (element.name() == "header" && articles_ == 0) return false;
    if (element.name() == "td" || element.name() == "th")
      line_ += ' ';
    else if (!is_within_line(element.name()))
      end_line();
    return true;
  }
  void leave(const Element& element) override {
    if (element.name() == "article") --articles_;
    if (!is_within_line(element.name()) && element.name() != "td" && element.name() != "th") end_line();
  }
  void text(std::string_view text) override {
    if (!is_full()) line_ += text;
  }

  std::string finished() {
    end_line();
    return cut(std::move(text_), bytes_max_);
  }

 private:
  bool is_full() const { return text_.size() + line_.size() > 2 * bytes_max_; }
  void end_line() {
    const std::string line = single_spaced(line_);
    line_.clear();
    if (line.empty()) return;
    if (!text_.empty()) text_ += '\n';
    text_ += line;
  }

  const std::size_t bytes_max_;
  int articles_ = 0;
  std::string text_;
  std::string line_;
};

struct Parts {
  std::optional<Element> title{};
  std::optional<Element> heading{};
  std::optional<Element> body{};
  std::optional<Element> main{};
  std::optional<Element> article{};
  int articles = 0;
  std::string description{};
  std::string graph_title{};
  std::string graph_description{};
};

void keep_first(std::string& kept, std::string_view text) {
  if (kept.empty()) kept = single_spaced(text);
}

void read_meta(const Element& element, Parts& parts) {
  const auto content = element.attribute("content");
  if (!content) return;
  const std::string name =
      small_letters(trimmed(element.attribute("name").value_or(element.attribute("property").value_or(""))));
  if (name == "description") keep_first(parts.description, *content);
  if (name == "og:title") keep_first(parts.graph_title, *content);
  if (name == "og:description") keep_first(parts.graph_description, *content);
}

Parts parts_of(const Document& document) {
  Parts parts;
  for_each_element(document.root(), [&parts](const Element& element) {
    const std::string_view name = element.name();
    if (name == "meta") read_meta(element, parts);
    if (name == "title" && !parts.title) parts.title = element;
    if (name == "h1" && !parts.heading) parts.heading = element;
    if (name == "body" && !parts.body) parts.body = element;
    if (name == "article" && ++parts.articles == 1) parts.article = element;
    if ((name == "main" || element.attribute("role") == "main") && !parts.main) parts.main = element;
  });
  if (parts.articles != 1) parts.article.reset();
  return parts;
}

std::string text_of(const std::optional<Element>& element, std::size_t bytes_max) {
  if (!element) return {};
  Lines lines(bytes_max);
  visit(*element, lines);
  return lines.finished();
}

}  // namespace

Readable read_readable(const Document& document, const ReadableLimits& limits) {
  const Parts parts = parts_of(document);
  Readable page;
  if (parts.title) page.title = single_spaced(parts.title->raw_text());
  if (page.title.empty()) page.title = parts.graph_title;
  if (page.title.empty() && parts.heading) page.title = single_spaced(parts.heading->text());
  page.title = cut(std::move(page.title), limits.title_bytes_max);
  page.description = cut(parts.description.empty() ? parts.graph_description : parts.description,
                         limits.description_bytes_max);
  for (const auto& place : {parts.main, parts.article, parts.body}) {
    if (page.text.empty()) page.text = text_of(place, limits.text_bytes_max);
  }
  return page;
}

}  // namespace crawler
