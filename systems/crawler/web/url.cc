#include "web/url.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <idn2.h>
#include <vector>

namespace crawler {
namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";
constexpr std::string_view kDigits = "0123456789ABCDEF";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
// RFC 3986, section 2.3.
bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
// Returns whether a character may stand in a path or a query without encoding: reserved characters keep the meaning that the page gave them.
bool may_stand(char c) { return is_unreserved(c) || std::string_view("!$&'()*+,;=:@/?[]|").contains(c); }

int hexadecimal(char c) {
  if (is_digit(c)) return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

void append_encoded(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

// RFC 3986, section 5.2.4.
std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_open = false;  // the last segment is a dot segment, which leaves "/"
  std::string_view rest = path.substr(path.starts_with('/') ? 1 : 0);
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    ends_open = segment == "." || segment == "..";
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!ends_open) kept.push_back(segment);
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (ends_open || out.empty()) out += '/';
  return out;
}

// Returns the name as DNS knows it; nullopt if it cannot be one.
std::optional<std::string> host_name(std::string_view host) {
  if (host.starts_with('[')) {
    const bool is_plain =
        host.ends_with(']') && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
          return hexadecimal(c) >= 0 || c == ':' || c == '.';
        });
    return is_plain && host.size() > 3 ? std::optional(small_letters(host)) : std::nullopt;
  }
  std::string name = small_letters(host);
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    char* encoded = nullptr;
    const int status = idn2_to_ascii_8z(name.c_str(), &encoded, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT);
    if (status != IDN2_OK) return std::nullopt;
    name = encoded;
    idn2_free(encoded);
  }
  if (name.ends_with('.')) name.pop_back();
  const bool is_name = !name.empty() && name.size() <= 253 && !name.starts_with('.') &&
                       !name.contains("..") && std::ranges::all_of(name, [](char c) {
                         return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
                       });
  return is_name ? std::optional(std::move(name)) : std::nullopt;
}

// Reads "host:port", perhaps behind "user:password@", which is dropped.
bool read_authority(std::string_view authority, Url& url) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
    authority.remove_prefix(at + 1);
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  std::string_view port;
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
  }
  auto host = host_name(authority);
  if (!host) return false;
  url.host = *std::move(host);
  if (port.empty()) return true;
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (problem != std::errc() || end != port.data() + port.size() || url.port == 0) return false;
  if (url.port == (url.scheme == "https" ? 443 : 80)) url.port = 0;
  return true;
}

void read_path_and_query(std::string_view rest, Url& url) {
  const std::size_t question = rest.find('?');
  url.path = without_dot_segments(normal_encoding(rest.substr(0, question)));
  url.query.reset();
  if (question != std::string_view::npos && question + 1 < rest.size())
    url.query = normal_encoding(rest.substr(question + 1));
}

// Browsers drop white space around and line breaks within an address, and read "\" as "/" before the query.
std::string as_browsers_read(std::string_view text) {
  text = trimmed(text);
  text = text.substr(0, text.find('#'));
  std::string out;
  bool in_query = false;
  for (const char c : text) {
    if (c == '\t' || c == '\n' || c == '\r') continue;
    in_query = in_query || c == '?';
    out += c == '\\' && !in_query ? '/' : c;
  }
  return out;
}

// Returns the scheme of an absolute reference, empty if it has none (RFC 3986, section 3.1).
std::string_view scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text.front())) return {};
  const std::string_view scheme = text.substr(0, colon);
  const bool is_scheme = std::ranges::all_of(
      scheme, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
  return is_scheme ? scheme : std::string_view();
}

std::optional<Url> parse_after_scheme(std::string_view scheme, std::string_view rest) {
  Url url{.scheme = small_letters(scheme), .host = {}, .path = {}};
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  if (!rest.starts_with("//")) return std::nullopt;
  rest.remove_prefix(2);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  if (!read_authority(rest.substr(0, end), url)) return std::nullopt;
  read_path_and_query(rest.substr(end), url);
  return url;
}

// Parameters that do not change a page; a trailing * stands for any ending. The first group belongs to campaigns, the second to
// sessions.
constexpr std::array<std::string_view, 43> kDroppedParameters = {
    "utm_*",         "gclid",      "gclsrc",  "dclid",     "gbraid",     "wbraid",  "fbclid",   "msclkid",
    "yclid",         "ttclid",     "twclid",  "igshid",    "li_fat_id",  "mc_cid",  "mc_eid",   "mtm_*",
    "matomo_*",      "pk_*",       "piwik_*", "hsa_*",     "_ga",        "_gl",     "_hsenc",   "_hsmi",
    "srsltid",       "irclickid",  "irgwc",   "awc",       "zanpid",     "vero_id", "wickedid", "epik",
    "phpsessid",     "jsessionid", "sid",     "sessionid", "session_id", "sessid",  "oscsid",   "zenid",
    "aspsessionid*", "cfid",       "cftoken"};

bool is_dropped(std::string_view parameter) {
  const std::string name = small_letters(parameter.substr(0, parameter.find('=')));
  return std::ranges::any_of(kDroppedParameters, [&](std::string_view dropped) {
    return dropped.ends_with('*') ? name.starts_with(dropped.substr(0, dropped.size() - 1)) : name == dropped;
  });
}

}  // namespace

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && small_letters(a) == small_letters(b);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string normal_encoding(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_encoded = text[i] == '%' && i + 2 < text.size() && hexadecimal(text[i + 1]) >= 0 &&
                            hexadecimal(text[i + 2]) >= 0;
    if (is_encoded) {
      const char byte = static_cast<char>(hexadecimal(text[i + 1]) * 16 + hexadecimal(text[i + 2]));
      if (is_unreserved(byte)) {
        out += byte;
      } else {
        append_encoded(out, byte);
      }
      i += 2;
    } else if (may_stand(text[i])) {
      out += text[i];
    } else {
      append_encoded(out, text[i]);
    }
  }
  return out;
}

std::string Url::origin() const {
  std::string out = scheme + "://" + host;
  if (port != 0) out += ":" + std::to_string(port);
  return out;
}

std::string Url::target() const { return query ? path + "?" + *query : path; }

std::optional<Url> parse_url(std::string_view text) {
  const std::string read = as_browsers_read(text);
  const std::string_view scheme = scheme_of(read);
  if (scheme.empty()) return std::nullopt;
  return parse_after_scheme(scheme, std::string_view(read).substr(scheme.size() + 1));
}

std::optional<Url> resolve(const Url& base, std::string_view reference) {
  const std::string read = as_browsers_read(reference);
  if (const std::string_view scheme = scheme_of(read); !scheme.empty()) {
    return parse_after_scheme(scheme, std::string_view(read).substr(scheme.size() + 1));
  }
  if (read.starts_with("//")) return parse_after_scheme(base.scheme, read);
  Url url = base;
  if (read.empty()) return url;
  if (read.starts_with('/')) {
    read_path_and_query(read, url);
  } else if (read.starts_with('?')) {
    read_path_and_query(base.path + read, url);
  } else {
    read_path_and_query(base.path.substr(0, base.path.rfind('/') + 1) + read, url);
  }
  return url;
}

Url without_tracking(Url url) {
  if (const std::size_t session = small_letters(url.path).find(";jsessionid=");
      session != std::string::npos) {
    url.path.erase(session, url.path.find('/', session) - session);
  }
  if (!url.query) return url;
  std::string kept;
  std::string_view rest = *url.query;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (parameter.empty() || is_dropped(parameter)) continue;
    if (!kept.empty()) kept += '&';
    kept += parameter;
  }
  if (kept.empty()) {
    url.query.reset();
  } else {
    url.query = std::move(kept);
  }
  return url;
}

bool is_host_of(std::string_view domain, std::string_view host) {
  if (domain.starts_with("www.")) domain.remove_prefix(4);
  if (host.starts_with("www.")) host.remove_prefix(4);
  return domain == host;
}

}  // namespace crawler
