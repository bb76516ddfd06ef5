// The `pattern` of a field: a regular expression that the whole text must match.
//
// The syntax is what RE2 and JavaScript have in common and read in the same way, because generated TypeScript code and OpenAPI
// documents carry the same text: no look-around, no references back, no named groups or flags. docs/DESIGN-LANGUAGE.md
// lists it. RE2 matches in time linear in the text, whatever the pattern.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tavola::design {

struct TextPatternProblem {
  std::string message;
  std::string advice;
};

// Thread safety: like a std::string; the compiled form, which copies share, may be used by several threads.
// The pattern is compiled when it is first used, so that a design with very many patterns can be refused in time.
class TextPattern {
 public:
  static constexpr std::size_t kBytesMax = 1000;

  TextPattern() = default;
  TextPattern(std::string text);  // NOLINT(google-explicit-constructor): a pattern is written as its text
  TextPattern(const char* text) : TextPattern(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  // Returns why a design may not have this pattern; nullopt if it may.
  std::optional<TextPatternProblem> problem() const;
  // Returns whether a text can be compared with the pattern at all. True for every pattern without a problem, and
  // for some that only earlier versions of the language allowed.
  bool is_readable() const;
  // Returns false if the pattern is not readable.
  bool matches(std::string_view text) const;
  // Returns the size of the compiled form, which bounds its memory and the time to compile it; 0 if it is not
  // readable.
  std::size_t instructions() const;

 private:
  struct Compiled;
  struct Lazy;
  const Compiled& compiled() const;

  std::string text_;
  std::shared_ptr<Lazy> lazy_;  // null if the text is empty
};

}  // namespace tavola::design
