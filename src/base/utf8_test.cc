#include "base/utf8.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace tavola {
namespace {

// The encoding of one code point, valid or not.
std::string encode(std::uint32_t code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCodePointButTheSurrogates) {
  for (std::uint32_t code = 0; code < 0x1F0000; ++code) {
    const bool valid = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    ASSERT_EQ(is_utf8(encode(code)), valid) << std::hex << code;
  }
}

TEST(Utf8, RefusesMalformedSequences) {
  for (const char* const bytes : {"\x80",
                                  "\xBF",
                                  "\xC3",
                                  "\xC3(",
                                  "\xC0\x80",
                                  "\xC1\xBF",  // stray, cut, overlong
                                  "\xE2\x82",
                                  "\xE2(\xA1",
                                  "\xE2\x82(",
                                  "\xE0\x80\x80",
                                  "\xE0\x9F\xBF",
                                  "\xED\xA0\x80",
                                  "\xF0\x9D\x84",
                                  "\xF0\x80\x80\x80",
                                  "\xF0\x8F\xBF\xBF",
                                  "\xF4\x90\x80\x80",
                                  "\xF5\x80\x80\x80",
                                  "\xF8\x88\x80\x80\x80",
                                  "\xFE",
                                  "\xFF"}) {
    for (std::size_t before = 0; before <= 9; ++before) {
      const std::string padding(before, 'a');
      EXPECT_FALSE(is_utf8(padding + bytes)) << before;
      EXPECT_FALSE(is_utf8(padding + bytes + padding)) << before;
      EXPECT_FALSE(is_utf8("é" + padding + bytes)) << before;
    }
  }
}

TEST(Utf8, TextOfEveryLength) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_TRUE(is_utf8(text + "€"));
    EXPECT_FALSE(is_utf8(text + "\xE2\x82"));
    text += i % 3 == 0 ? "é" : "a";
  }
}

}  // namespace
}  // namespace tavola
