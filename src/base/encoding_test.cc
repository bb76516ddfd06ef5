#include "base/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tavola {
namespace {

// RFC 4648, section 10.
TEST(Base64, TestVectors) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64("\xFB\xFF\xBE"), "+/++");
}

TEST(Base64, AppendsToWhatIsThere) {
  std::string out = "data:";
  append_base64(out, "foo");
  EXPECT_EQ(out, "data:Zm9v");
}

TEST(Base64, RefusesWhatItWouldNotWrite) {
  for (const char* const text : {"Z", "Zg", "Zg=", "Zg===", "====", "=Zg=", "Z=g=", "Zm9v=", "Zm 9", "Zm9-",
                                 "Zm9_", "Zh==", "Zm9=", "Zg==Zg==", "Zm\n9"}) {
    EXPECT_FALSE(from_base64(text).has_value()) << text;
  }
}

TEST(Base64, HasLettersForUrls) {
  EXPECT_EQ(to_base64url("\xFB\xFF\xBE"), "-_--");
  EXPECT_EQ(to_base64url("f"), "Zg");
  EXPECT_EQ(from_base64url("Zg"), "f");
  for (const char* const text : {"Z", "Zg==", "+/++", "Zh", "Zm9v\n"}) {
    EXPECT_FALSE(from_base64url(text).has_value()) << text;
  }
}

TEST(Hex, BothCasesAreRead) {
  EXPECT_EQ(to_hex("\x01\xAB\xFF"), "01abff");
  EXPECT_EQ(from_hex("01AbfF"), "\x01\xAB\xFF");
  EXPECT_EQ(from_hex(""), "");
}

TEST(Hex, RefusesOddLengthAndForeignCharacters) {
  for (const char* const text : {"0", "abc", "0g", "g0", " 1", "0x"})
    EXPECT_FALSE(from_hex(text).has_value()) << text;
}

RC_GTEST_PROP(EncodingProperty, DecodesWhatItEncoded, (const std::string& bytes)) {
  RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
  RC_ASSERT(from_base64url(to_base64url(bytes)) == bytes);
  RC_ASSERT(from_hex(to_hex(bytes)) == bytes);
}

RC_GTEST_PROP(EncodingProperty, AnyTextIsRefusedOrCanonical, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("AQgw/+9z=b")));
  if (const auto bytes = from_base64(text)) RC_ASSERT(to_base64(*bytes) == text);
}

}  // namespace
}  // namespace tavola
