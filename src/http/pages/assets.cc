#include "http/pages/assets.h"

#include <algorithm>
#include <string>

namespace tavola::http {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Returns whether the parameters of a coding refuse it: "q=0", "q=0.0".
bool is_refused(std::string_view parameters) {
  const std::string_view weight = trimmed(parameters);
  return weight.starts_with("q=0") && weight.find_first_not_of("0.", 2) == std::string_view::npos;
}

const Asset* find_asset(std::span<const Asset> assets, std::string_view path) {
  const auto found = std::ranges::find(assets, path, &Asset::path);
  return found == assets.end() ? nullptr : &*found;
}

// Returns whether a path has the form of a view: it names no file at the root, as "/robots.txt" does, and none of ours.
bool has_view_form(std::string_view path) {
  const bool is_at_root = path.find('/', 1) == std::string_view::npos;
  return !path.starts_with("/assets/") && !(is_at_root && path.contains('.'));
}

// Returns whether an If-None-Match header names this version, which may be marked as weak.
bool is_known(std::string_view if_none_match, std::string_view tag) {
  return if_none_match == "*" || if_none_match.contains(tag);
}

}  // namespace

std::string_view accepted_form(std::string_view accept_encoding) {
  bool gzip = false;
  while (!accept_encoding.empty()) {
    const std::size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view coding = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(coding.find(';'), coding.size());
    const std::string_view name = trimmed(coding.substr(0, semicolon));
    if (semicolon < coding.size() && is_refused(coding.substr(semicolon + 1))) continue;
    if (name == "br") return "br";
    gzip = gzip || name == "gzip";
  }
  return gzip ? "gzip" : "";
}

std::optional<Response> asset_answer(const Request& request, std::span<const Asset> assets) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  const Asset* asset = find_asset(assets, request.path);
  const bool is_view = asset == nullptr && has_view_form(request.path);
  if (is_view) asset = find_asset(assets, "/index.html");
  if (asset == nullptr) return std::nullopt;
  const std::string_view form = accepted_form(request.header("accept-encoding"));
  // The forms of a file are different bytes, so their tags differ, too (RFC 9110, section 8.8.3).
  const std::string tag =
      '"' + std::string(asset->hash) + (form.empty() ? "" : "-" + std::string(form)) + '"';
  Response response{.status = 200, .content_type = asset->type};
  response.add_header("ETag", tag);
  response.add_header("Vary", "Accept-Encoding");
  const bool has_hash = asset->path.starts_with("/assets/");
  response.add_header("Cache-Control", has_hash ? "public, max-age=31536000, immutable" : "no-cache");
  if (is_known(request.header("if-none-match"), tag)) {
    response.status = 304;
    response.content_type = {};
    return response;
  }
  if (!form.empty()) response.add_header("Content-Encoding", form);
  response.body = (form == "br" ? asset->brotli : form == "gzip" ? asset->gzip : asset->plain).text();
  return response;
}

}  // namespace tavola::http
