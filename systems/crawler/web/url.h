// Addresses of pages (RFC 3986), read leniently as browsers do and kept in one form, so that equal pages have equal texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crawler {

// An address of http or https without user, password and fragment. Normalised by construction (RFC 3986, section 6.2.2): letters of
// scheme and host are small, the default port is left out, dot segments are resolved, and what needs no percent-encoding has none.
struct Url {
  std::string scheme;
  std::string host;        // "www.example.com", "xn--mller-kva.de", "[::1]"
  std::uint16_t port = 0;  // 0: the scheme's own
  std::string path;        // begins with "/"
  std::optional<std::string> query{};

  std::string origin() const;  // "https://example.com:8443"
  std::string target() const;  // path and query
  std::string text() const { return origin() + target(); }
  friend bool operator==(const Url&, const Url&) = default;
};

// Returns nullopt if the text is not an absolute address of http or https.
std::optional<Url> parse_url(std::string_view text);

// Resolves a reference as it stands in a page (RFC 3986, section 5.2). Returns nullopt for other schemes (mailto:) and for
// references that cannot be read.
std::optional<Url> resolve(const Url& base, std::string_view reference);

// Returns the address without parameters that track a visitor (utm_source) or carry a session (PHPSESSID, ;jsessionid=), which
// do not change the page.
Url without_tracking(Url url);

// Returns whether the host is the shop's: the same name, with or without "www.".
bool is_host_of(std::string_view domain, std::string_view host);

// Returns the path with percent-encoding in one form (capital digits, only where needed); other text keeps its bytes.
std::string normal_encoding(std::string_view text);

std::string small_letters(std::string_view text);
bool same_letters(std::string_view a, std::string_view b);  // ASCII, in any case
std::string_view trimmed(std::string_view text);            // without white space at both ends

}  // namespace crawler
