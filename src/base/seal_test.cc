#include "base/seal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tavola {
namespace {

TEST(SealTest, WhatIsSealedComesBack) {
  EXPECT_TRUE(rc::check([](const std::string& secret, const std::string& text, const std::string& context) {
    const std::string sealed = seal(secret, text, context);
    RC_ASSERT(sealed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
              std::string::npos);
    RC_ASSERT(unseal(secret, sealed, context) == text);
    RC_ASSERT(seal(secret, text, context) == sealed);
  }));
}

TEST(SealTest, NothingElseDoes) {
  const std::string sealed = seal("secret", "a place", "products of s1");
  EXPECT_FALSE(unseal("another", sealed, "products of s1"));
  EXPECT_FALSE(unseal("secret", sealed, "products of s2"));
  EXPECT_FALSE(unseal("secret", "", ""));
  EXPECT_FALSE(unseal("secret", "not sealed at all, whoever wrote it", ""));
  EXPECT_EQ(sealed.find("place"), std::string::npos);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(unseal("secret", changed, "products of s1")) << i;
    EXPECT_FALSE(unseal("secret", sealed.substr(0, i), "products of s1")) << i;
  }
}

}  // namespace
}  // namespace tavola
