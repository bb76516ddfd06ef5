#include "http/web_guard.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace tavola::http {
namespace {

bool has_only(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text,
                             [more](char c) { return is_digit(c) || is_letter(c) || more.contains(c); });
}

// Returns the canonical spelling of an IPv6 address; nullopt if it is not one.
std::optional<std::string> ipv6(std::string_view text) {
  in6_addr address{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return inet_ntop(AF_INET6, &address, out.data(), out.size());
}

// Returns a host in the form of host_of(), without a port.
std::string spelled(std::string_view host) { return ipv6(host).value_or(lower_case(host)); }

// Returns the host of "localhost:8000" or "[::1]:8000", in lower case, without port, brackets and trailing dot. Returns
// nullopt if the text is not an authority without a user.
std::optional<std::string> host_of(std::string_view authority) {
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = std::min(authority.find(':', bracket), authority.size());
  const std::string_view port = authority.substr(std::min(colon + 1, authority.size()));
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::string_view host = authority.substr(0, colon);
  if (bracket > 0) {
    return host.ends_with(']') ? ipv6(host.substr(1, host.size() - 2)) : std::nullopt;
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.starts_with('.') || !has_only(host, "-_.")) return std::nullopt;
  return lower_case(host);
}

// These take the result of host_of().
bool is_address(const std::string& host) {
  in_addr address{};
  return host.contains(':') || inet_pton(AF_INET, host.c_str(), &address) == 1;
}
bool is_wildcard(std::string_view host) { return host == "0.0.0.0" || host == "::"; }
// Browsers resolve localhost and the names below it to this machine, regardless of DNS.
bool is_loopback_name(const std::string& host) {
  if (host == "localhost" || host.ends_with(".localhost") || host == "::1") return true;
  return host.starts_with("127.") && is_address(host);
}

// Returns "localhost:3000" for "http://localhost:3000"; empty if it is not the origin of a web page.
std::string_view authority_of(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (same_text(origin.substr(0, scheme.size()), scheme)) return origin.substr(scheme.size());
  }
  return {};
}

// Returns whether a page of another origin sent the request. Browsers with Sec-Fetch-Site state it; others send Origin
// with every request but a plain GET.
bool is_of_another_origin(const Request& request) {
  if (const std::string_view site = request.header("sec-fetch-site"); !site.empty()) {
    return site != "same-origin" && site != "none";
  }
  const std::string_view origin = request.header("origin");
  return !origin.empty() && !same_text(authority_of(origin), request.header("host"));
}

// Returns whether a person followed a link, or a redirect, to a page: they see the response, and the page with the link does not.
bool is_followed_link(const Request& request) {
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  return is_read && request.header("sec-fetch-mode") == "navigate" &&
         request.header("sec-fetch-dest") == "document";
}

std::string wrong_host(std::string_view authority) {
  const std::optional<std::string> host = host_of(authority);
  if (!host) return "The Host of the request is neither a name nor an address.";
  return "This server is not known as " + *host +
         ": a web page can make up a name and point it here (DNS rebinding). If the name is right, start the "
         "server with "
         "--allowed-host " +
         *host + ".";
}

std::string wrong_origin(std::string_view origin) {
  if (!is_origin(origin)) {
    return "Web pages without an origin of their own may not use this server. To let every page use it, "
           "start it with "
           "--cors.";
  }
  return "Web pages of " + std::string(origin) +
         " may not use this server. To let them, start it with --cors " + std::string(origin) + ".";
}

}  // namespace

bool is_origin(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0 || !has_only(text.substr(0, end), "+-.")) return false;
  return host_of(text.substr(end + 3)).has_value();
}

bool is_host_rule(std::string_view text) {
  if (text == ".") return true;
  const std::string_view name = text.starts_with('.') ? text.substr(1) : text;
  return ipv6(text).has_value() || (!name.empty() && host_of(name) == lower_case(name));
}

WebGuard::WebGuard(WebRules rules) : rules_(std::move(rules)) {
  for (std::string& host : rules_.allowed_hosts) host = spelled(host);
}

void WebGuard::listens_on(std::string_view host, std::string_view address) {
  const std::string bound = host_of(address).value_or(std::string());
  allows_addresses_ |= is_wildcard(bound);
  allows_loopback_ |= is_wildcard(bound) || is_loopback_name(bound);
  rules_.allowed_hosts.push_back(bound);
  rules_.allowed_hosts.push_back(spelled(host));
}

void WebGuard::allow_certified(std::function<bool(const std::string& host)> is_certified) {
  is_certified_ = std::move(is_certified);
}

bool WebGuard::allows_host(std::string_view authority) const {
  const std::optional<std::string> host = host_of(authority);
  if (!host) return false;
  if (allows_loopback_ && is_loopback_name(*host)) return true;
  if (allows_addresses_ && is_address(*host)) return true;
  const bool is_allowed = std::ranges::any_of(rules_.allowed_hosts, [&](const std::string& rule) {
    if (rule == ".") return !host->contains('.');
    return *host == rule || (rule.starts_with('.') && host->ends_with(rule));
  });
  return is_allowed || (is_certified_ && is_certified_(*host));
}

bool WebGuard::allows_origin(std::string_view origin) const {
  if (rules_.pages == WebPages::None) return false;
  if (rules_.pages == WebPages::All) return true;
  const std::optional<std::string> host = host_of(authority_of(origin));
  return (host && is_loopback_name(*host)) ||
         std::ranges::any_of(rules_.origins, [&](const std::string& one) { return same_text(one, origin); });
}

// A request of HTTP/1.0 may have no Host. Browsers do not send such requests, some health checks do.
std::optional<std::string_view> WebGuard::wrong_name_in(const Request& request) const {
  if (request.peer == "unix") return std::nullopt;  // browsers cannot use Unix sockets
  if (!request.authority.empty() && !allows_host(request.authority)) return request.authority;
  for (const Header& header : request.headers) {
    if (same_text(header.name, "host") && !allows_host(header.value)) return header.value;
  }
  return std::nullopt;
}

WebGuard::Verdict WebGuard::judge(const Request& request) const {
  if (const auto name = wrong_name_in(request)) return {.refusal = wrong_host(*name)};
  const std::string_view origin = request.header("origin");
  const bool own_pages_only =
      !rules_.own_pages_only.empty() && request.path.starts_with(rules_.own_pages_only);
  const bool can_be_cached = request.method == "GET" || request.method == "HEAD";
  Verdict verdict;
  verdict.depends_on_origin =
      rules_.pages == WebPages::OfThisMachine && !own_pages_only && (can_be_cached || !origin.empty());
  if (!is_of_another_origin(request)) return verdict;
  if (own_pages_only && !is_followed_link(request)) {
    verdict.refusal = "Web pages of other origins may not use " + rules_.own_pages_only + ".";
  } else if (origin.empty()) {
    // A link, an image or the like: a GET whose response the page cannot read.
  } else if (!allows_origin(origin)) {
    verdict.refusal = wrong_origin(origin);
  } else {
    verdict.allow_origin = rules_.pages == WebPages::All ? "*" : origin;
  }
  return verdict;
}

}  // namespace tavola::http
