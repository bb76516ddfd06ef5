#include "design/model/text_forms.h"

#include <gtest/gtest.h>

namespace tavola::design {
namespace {

TEST(TextForms, OneNameForAHost) {
  for (const char* written :
       {"www.example.com", "WWW.Example.COM", "https://www.example.com", "http://www.example.com:8080/a?b#c",
        "www.example.com.", "user:secret@www.example.com:443", "www.example.com:80"})
    EXPECT_EQ(normal_domain(written), "www.example.com") << written;
  EXPECT_EQ(normal_domain("Müller.de"), "xn--mller-kva.de");
  EXPECT_EQ(normal_domain("xn--mller-kva.de"), "xn--mller-kva.de");
  EXPECT_EQ(normal_domain("XN--MLLER-KVA.DE"), "xn--mller-kva.de");
  EXPECT_EQ(normal_domain("MÜLLER.DE"), "xn--mller-kva.de");
}

TEST(TextForms, WhatNamesNoHost) {
  for (const char* wrong : {"", "localhost", "127.0.0.1", "http://", "a b.com", "-a.com", "a..com", "a_b.com",
                            ".com", "[::1]", "a.com:x"})
    EXPECT_EQ(normal_domain(wrong), std::nullopt) << wrong;
  EXPECT_EQ(normal_domain(std::string(64, 'a') + ".com"), std::nullopt);
  EXPECT_EQ(normal_domain(std::string("a\0b.com", 7)), std::nullopt);
}

TEST(TextForms, Countries) {
  EXPECT_EQ(normal_country("DE"), "DE");
  EXPECT_EQ(normal_country("de"), "DE");
  EXPECT_EQ(normal_country("ZW"), "ZW");
  for (const char* wrong : {"", "D", "DEU", "XX", "UK", "EU", "E ", "ED"})
    EXPECT_EQ(normal_country(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace tavola::design
