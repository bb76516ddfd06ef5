// The text of a file as valid UTF-8, while its bytes arrive in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <tavola/error.h>

namespace tavola::text_analyzer {

// Accepts UTF-8, with or without a byte order mark, and UTF-16 of both byte orders with one. Thread safety: none.
class Utf8Pieces {
 public:
  // Receives text of whole characters, which is valid during the call.
  using Take = std::function<Result<void>(std::string_view text)>;

  explicit Utf8Pieces(Take take) : take_(std::move(take)) {}

  // Fails with Validation and the position of the first byte that is not text, or as `take` does.
  Result<void> add(std::string_view bytes);
  // Passes on the rest. Fails as add() does, also if the file ends within a character.
  Result<void> finish();

 private:
  enum class Form : std::uint8_t { Unknown, Utf8, Utf16Little, Utf16Big };

  void find_form(bool is_end);
  Result<void> pass_on(bool is_end);
  Result<void> pass_utf8(bool is_end);
  Result<void> pass_utf16(bool is_end);
  Error not_text(std::size_t at, std::string_view why) const;

  Take take_;
  Form form_ = Form::Unknown;
  std::string held_;          // bytes that are not passed on yet
  std::uint64_t passed_ = 0;  // bytes of the file before `held_`
  std::string utf8_;          // of UTF-16: reused
};

}  // namespace tavola::text_analyzer
