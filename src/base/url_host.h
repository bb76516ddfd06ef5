// The host of a URL, as it is written.
#pragma once

#include <string_view>

namespace tavola {

// Returns "example.com:80" of "https://user@example.com:80/path?query"; a text without a scheme begins there.
constexpr std::string_view authority_in(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos)
    url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (const std::size_t user = url.rfind('@'); user != std::string_view::npos) url.remove_prefix(user + 1);
  return url;
}

// Returns the host alone, without the port and without the dot that ends a full name (RFC 1034, 3.1): "example.com" of
// "https://example.com.:80/". An IPv6 address keeps its brackets.
constexpr std::string_view host_in(std::string_view url) {
  const std::string_view authority = authority_in(url);
  const std::size_t end = authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':');
  std::string_view host = authority.substr(0, end);
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace tavola
