#include "expr/rules/public_suffix.h"

#include <gtest/gtest.h>

namespace tavola::expr {
namespace {

TEST(PublicSuffix, TheCoreOfADomainStandsBeforeIt) {
  struct Case {
    std::string_view domain;
    std::string_view core;
  };
  static constexpr Case kCases[] = {
      {"example.com", "example"},
      {"www.example.com", "example"},
      {"www.example.co.uk", "example"},
      {"apple.aura.com", "aura"},
      {"a.b.c.example.de", "example"},
      {"WWW.Example.CO.UK", "example"},
      {"example.com.", "example"},
      // Rules with a wildcard, and the exception to one.
      {"www.shop.city.kawasaki.jp", "city"},
      {"www.shop.other.kawasaki.jp", "shop"},
      // Suffixes of private owners are suffixes.
      {"tavola.github.io", "tavola"},
      // Names beyond ASCII, in both forms.
      {"www.bücher.de", "bücher"},
      {"WWW.BÜCHER.DE", "bücher"},
      {"www.xn--bcher-kva.de", "xn--bcher-kva"},
      {"www.食狮.公司.cn", "食狮"},
      // Names that are returned whole.
      {"co.uk", "co.uk"},
      {"com", "com"},
      {"localhost", "localhost"},
      {"192.168.10.1", "192.168.10.1"},
      {"2001:DB8::1", "2001:db8::1"},
      {"", ""},
      {".", ""},
      // An unknown top-level domain is one label.
      {"www.example.unheard", "example"},
  };
  for (const auto& [domain, core] : kCases) EXPECT_EQ(core_domain(domain), core) << domain;
}

TEST(PublicSuffix, TakesWhatIsNoDomain) {
  EXPECT_EQ(core_domain("..."), "..");
  EXPECT_EQ(core_domain("no domain at all"), "no domain at all");
  EXPECT_EQ(core_domain("WWW.\xFF.com"), "\uFFFD");
}

}  // namespace
}  // namespace tavola::expr
