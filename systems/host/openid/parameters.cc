#include "systems/host/openid/parameters.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/utf8.h"

namespace tavola::systems {
namespace {

std::optional<std::string> form_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto byte = i + 2 < text.size() ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
    if (!byte) return std::nullopt;
    out += *byte;
    i += 2;
  }
  return is_utf8(out) ? std::optional(out) : std::nullopt;
}

std::string form_encoded(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || std::string_view("-_.~").contains(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0xfU];
  }
  return out;
}

}  // namespace

std::optional<Parameters> read_parameters(std::string_view text) {
  Parameters parameters;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const std::size_t equals = std::min(one.find('='), one.size());
    auto name = form_decoded(one.substr(0, equals));
    auto value = form_decoded(one.substr(std::min(equals + 1, one.size())));
    if (!name || !value) return std::nullopt;
    const bool is_known =
        std::ranges::any_of(parameters, [&](const auto& known) { return known.first == *name; });
    if (is_known) return std::nullopt;
    parameters.emplace_back(*std::move(name), *std::move(value));
  }
  return parameters;
}

std::string write_parameters(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (!text.empty()) text += '&';
    text += form_encoded(name) + "=" + form_encoded(value);
  }
  return text;
}

std::string_view value_of(const Parameters& parameters, std::string_view name) {
  const auto found = std::ranges::find_if(parameters, [&](const auto& one) { return one.first == name; });
  return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

std::string with_parameters(std::string_view url, const Parameters& parameters) {
  const std::string more = write_parameters(parameters);
  if (more.empty()) return std::string(url);
  return std::string(url) + (url.contains('?') ? "&" : "?") + more;
}

}  // namespace tavola::systems
