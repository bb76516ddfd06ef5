// A text and a position in it, read character by character.
#pragma once

#include <cstddef>
#include <string_view>

#include "yaml/node.h"

namespace tavola::yaml {

class Source {
 public:
  explicit Source(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  // The byte `ahead` of the position; 0 after the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts_with(std::string_view words) const { return text_.substr(at_).starts_with(words); }
  bool at_line_end() const { return at_end() || peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }
  // A space, a tab, the end of the line or of the text.
  bool is_blank(std::size_t ahead = 0) const {
    const char c = peek(ahead);
    return at_ + ahead >= text_.size() || c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  // Returns whether a space, a tab or nothing precedes the position.
  bool is_behind_blank() const { return at_ == 0 || text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t'; }

  Place place() const { return place_; }
  std::uint32_t indent() const { return place_.column - 1; }
  std::size_t offset() const { return at_; }
  std::string_view since(std::size_t offset) const { return text_.substr(offset, at_ - offset); }

  void next() {
    if (at_end()) return;
    const char c = text_[at_++];
    if (c == '\n') {
      place_ = {place_.line + 1, 1};
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {  // not inside a character
      ++place_.column;
    }
    // The column is that of the character at the position; its continuation bytes do not count.
  }
  void skip(std::size_t bytes) {
    for (; bytes > 0; --bytes) next();
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') next();
  }
  void skip_to_line_end() {
    while (!at_line_end()) next();
  }
  void skip_line_end() {
    if (peek() == '\r') next();
    if (peek() == '\n') next();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  Place place_;
};

}  // namespace tavola::yaml
