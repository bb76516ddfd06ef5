#include "systems/catalogue/site_search.h"

#include <algorithm>
#include <clocale>
#include <cwctype>
#include <locale.h>

namespace tavola::catalogue {
namespace {

constexpr int kInTitle = 8;
constexpr int kInTags = 4;
constexpr int kInDescription = 2;
constexpr int kInText = 1;
constexpr std::size_t kBytesBefore = 60;
constexpr std::size_t kExcerptBytes = 220;

// The letters of all languages, whatever the language of the machine.
locale_t letters() {
  static const locale_t known = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return known;
}

bool is_continued(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t length_of(char32_t letter) {
  if (letter < 0x80) return 1;
  if (letter < 0x800) return 2;
  return letter < 0x10000 ? 3 : 4;
}

// Decodes the character that begins at `at`; the text is UTF-8.
char32_t letter_at(std::string_view text, std::size_t at, std::size_t length) {
  const auto first = static_cast<unsigned char>(text[at]);
  char32_t letter = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    letter = (letter << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return letter;
}

void append_letter(std::string& text, char32_t letter, std::size_t length) {
  if (length == 1) {
    text += static_cast<char>(letter);
    return;
  }
  const std::size_t shift = 6 * (length - 1);
  text += static_cast<char>(((0xF00U >> length) & 0xFFU) | (letter >> shift));
  for (std::size_t left = shift; left > 0; left -= 6)
    text += static_cast<char>(0x80U | ((letter >> (left - 6)) & 0x3FU));
}

bool has_word(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

std::string_view text_of(const std::optional<std::string>& field) {
  return field ? std::string_view(*field) : std::string_view();
}

// Cuts a piece around a position, at spaces where there are some.
std::string excerpt_of(std::string_view text, std::size_t at) {
  std::size_t begin = at > kBytesBefore ? at - kBytesBefore : 0;
  if (const std::size_t space = text.substr(begin, at - begin).find(' ');
      begin > 0 && space != std::string_view::npos)
    begin += space + 1;
  while (begin < text.size() && is_continued(text[begin])) ++begin;
  std::size_t end = std::min(text.size(), begin + kExcerptBytes);
  if (const std::size_t space = text.rfind(' ', end);
      end < text.size() && space != std::string_view::npos && space > at)
    end = space;
  while (end < text.size() && is_continued(text[end])) --end;
  std::string piece = begin > 0 ? "… " : "";
  piece += text.substr(begin, end - begin);
  if (end < text.size()) piece += " …";
  return piece;
}

}  // namespace

std::string small_letters(std::string_view text) {
  std::string small;
  small.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    while (at + length < text.size() && is_continued(text[at + length])) ++length;
    const char32_t letter = letter_at(text, at, length);
    const auto lower = static_cast<char32_t>(towlower_l(static_cast<wint_t>(letter), letters()));
    append_letter(small, length_of(lower) == length ? lower : letter, length);
    at += length;
  }
  return small;
}

SiteSearch::SiteSearch(std::string_view question, std::size_t hits_max) : hits_max_(hits_max) {
  const std::string small = small_letters(question.substr(0, kQuestionBytesMax));
  for (std::size_t at = 0; at < small.size();) {
    const std::size_t end = std::min(small.find(' ', at), small.size());
    if (end > at) words_.push_back(small.substr(at, end - at));
    at = end + 1;
  }
}

void SiteSearch::note(const fus_main::Site& site) {
  const std::string title = small_letters(site.title);
  const std::string description = small_letters(text_of(site.description));
  const std::string text = small_letters(text_of(site.scrapedContent));
  std::string tags;
  for (const std::string& tag : site.tags.value_or(std::vector<std::string>()))
    tags += small_letters(tag) + "\n";
  int score = 0;
  for (const std::string& word : words_) {
    if (has_word(title, word)) {
      score += kInTitle;
    } else if (has_word(tags, word)) {
      score += kInTags;
    } else if (has_word(description, word)) {
      score += kInDescription;
    } else if (has_word(text, word)) {
      score += kInText;
    } else {
      return;
    }
  }
  if (score == 0) return;
  if (hits_.size() == hits_max_ && hits_.back().score >= score) return;
  Hit hit{.site = site, .excerpt = {}, .score = score};
  hit.site.scrapedContent.reset();
  const bool is_in_text = !has_word(description, words_.front()) && has_word(text, words_.front());
  const std::string& small = is_in_text ? text : description;
  const std::size_t at = small.find(words_.front());
  hit.excerpt = excerpt_of(text_of(is_in_text ? site.scrapedContent : site.description),
                           at == std::string::npos ? 0 : at);
  hits_.insert(std::ranges::upper_bound(hits_, score, std::ranges::greater(), &Hit::score), std::move(hit));
  if (hits_.size() > hits_max_) hits_.pop_back();
}

}  // namespace tavola::catalogue
