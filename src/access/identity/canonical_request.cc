#include "access/identity/canonical_request.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/encoding.h"

namespace tavola::access {
namespace {

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

void append_encoded(std::string& out, std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c) || also_plain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xfU];
  }
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      if (const auto byte = from_hex(text.substr(i + 1, 2))) {
        out += *byte;
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

// Removes ".", ".." and empty segments and encodes every byte of the path as sent, also '%': only Amazon S3 signs paths
// that are encoded once.
void append_path(std::string& out, std::string_view path) {
  std::vector<std::string_view> segments;
  for_each_part(path, '/', [&](std::string_view segment) {
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  });
  for (const std::string_view segment : segments) {
    out += '/';
    append_encoded(out, segment, {});
  }
  if (segments.empty() || path.ends_with('/')) out += '/';
}

void append_query(std::string& out, std::string_view query) {
  if (query.empty()) return;
  std::vector<std::pair<std::string, std::string>> encoded;
  for (const auto& [name, value] : query_parameters(query)) {
    if (name == "X-Amz-Signature") continue;
    auto& parameter = encoded.emplace_back();
    append_encoded(parameter.first, name, {});
    append_encoded(parameter.second, value, {});
  }
  std::ranges::sort(encoded);
  bool is_first = true;
  for (const auto& [name, value] : encoded) {
    if (!std::exchange(is_first, false)) out += '&';
    out.append(name).append("=").append(value);
  }
}

// Trims the value, and collapses spaces.
void append_value(std::string& out, std::string_view value) {
  bool is_gap = false;
  for (const char c : trimmed(value)) {
    const bool is_space = c == ' ' || c == '\t';
    if (is_space && !is_gap) out += ' ';
    if (!is_space) out += c;
    is_gap = is_space;
  }
}

void append_header(std::string& out, const http::Request& request, std::string_view name) {
  out.append(name).append(":");
  bool is_first = true;
  for (const http::Header& header : request.headers) {
    if (!same_text(header.name, name)) continue;
    if (!std::exchange(is_first, false)) out += ',';
    append_value(out, header.value);
  }
  out += '\n';
}

}  // namespace

std::vector<std::pair<std::string, std::string>> query_parameters(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for_each_part(query, '&', [&](std::string_view part) {
    if (part.empty()) return;
    const std::size_t equal = part.find('=');
    const std::string_view value =
        equal == std::string_view::npos ? std::string_view() : part.substr(equal + 1);
    parameters.emplace_back(decoded(part.substr(0, equal)), decoded(value));
  });
  return parameters;
}

std::string canonical_request(const http::Request& request, std::string_view signed_headers,
                              std::string_view payload_hash, PathEncoding encoding) {
  std::string text;
  text.reserve(512);
  text.append(request.method).append("\n");
  encoding == PathEncoding::Once ? append_encoded(text, decoded(request.path), "/")
                                 : append_path(text, request.path);
  text += '\n';
  append_query(text, request.query);
  text += '\n';
  if (!signed_headers.empty()) {
    for_each_part(signed_headers, ';', [&](std::string_view name) { append_header(text, request, name); });
  }
  text.append("\n").append(signed_headers).append("\n").append(payload_hash);
  return text;
}

}  // namespace tavola::access
