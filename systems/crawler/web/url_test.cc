#include "web/url.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

std::string text_of(const std::optional<Url>& url) { return url ? url->text() : "none"; }

struct AddressCase {
  const char* text;
  const char* normal;
};

TEST(Url, HasOneForm) {
  const std::vector<AddressCase> cases = {
      {"HTTP://WWW.Example.COM", "http://www.example.com/"},
      {"https://example.com:443/a", "https://example.com/a"},
      {"http://example.com:8080/", "http://example.com:8080/"},
      {"https://example.com/a/./b/../c", "https://example.com/a/c"},
      {"https://example.com/../../a", "https://example.com/a"},
      {"https://example.com/a/..", "https://example.com/"},
      {"https://example.com/%7Euser/%c3%a4", "https://example.com/~user/%C3%A4"},
      {"https://example.com/ä b", "https://example.com/%C3%A4%20b"},
      {"https://example.com/a%2fb", "https://example.com/a%2Fb"},
      {"https://example.com/100%", "https://example.com/100%25"},
      {"https://example.com/a?", "https://example.com/a"},
      {"https://example.com/a?q=%41#part", "https://example.com/a?q=A"},
      {"https://user:secret@example.com/", "https://example.com/"},
      {"https://Müller.de/", "https://xn--mller-kva.de/"},
      {"https://example.com./", "https://example.com/"},
      {"  https://exa\nmple.com\\a\\b ", "https://example.com/a/b"},
      {"http://[::1]:80/", "http://[::1]/"},
      {"ftp://example.com/", "none"},
      {"mailto:anna@example.com", "none"},
      {"/a", "none"},
      {"https://", "none"},
      {"https://exa mple.com/", "none"},
      {"https://example.com:0/", "none"},
      {"https://example.com:99999/", "none"},
      {"https://exam..ple.com/", "none"},
  };
  for (const AddressCase& one : cases) EXPECT_EQ(text_of(parse_url(one.text)), one.normal) << one.text;
}

// The examples of RFC 3986, section 5.4, for a hierarchical path.
TEST(Url, ResolvesReferences) {
  const Url base = *parse_url("http://a/b/c/d;p?q");
  const std::vector<AddressCase> cases = {
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g/"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g#s", "http://a/b/c/g"},
      {";x", "http://a/b/c/;x"},
      {"g;x?y", "http://a/b/c/g;x?y"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"https:g", "none"},
      {"javascript:void(0)", "none"},
      {"tel:+49123", "none"},
  };
  for (const AddressCase& one : cases) EXPECT_EQ(text_of(resolve(base, one.text)), one.normal) << one.text;
}

TEST(Url, LosesParametersThatTrackOrCarryASession) {
  const std::vector<AddressCase> cases = {
      {"https://a.de/p?id=1&utm_source=x&utm_medium=y", "https://a.de/p?id=1"},
      {"https://a.de/p?gclid=1", "https://a.de/p"},
      {"https://a.de/p?FBCLID=1&b=2&a=1", "https://a.de/p?b=2&a=1"},
      {"https://a.de/p;jsessionid=0A1B?x=1", "https://a.de/p?x=1"},
      {"https://a.de/p?PHPSESSID=abc&page=2", "https://a.de/p?page=2"},
      {"https://a.de/p?side=1&gclidx=2", "https://a.de/p?side=1&gclidx=2"},
      {"https://a.de/p?a=1&&b=2", "https://a.de/p?a=1&b=2"},
  };
  for (const AddressCase& one : cases)
    EXPECT_EQ(without_tracking(*parse_url(one.text)).text(), one.normal) << one.text;
}

TEST(Url, AHostMayHaveWww) {
  EXPECT_TRUE(is_host_of("example.com", "example.com"));
  EXPECT_TRUE(is_host_of("example.com", "www.example.com"));
  EXPECT_TRUE(is_host_of("www.example.com", "example.com"));
  EXPECT_FALSE(is_host_of("example.com", "shop.example.com"));
  EXPECT_FALSE(is_host_of("example.com", "badexample.com"));
}

}  // namespace
}  // namespace crawler
