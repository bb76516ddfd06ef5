#include "objects/s3_request.h"

#include <algorithm>
#include <charconv>

#include "access/identity/canonical_request.h"
#include "base/ascii.h"
#include "base/utf8.h"
#include "objects/codec/s3_error.h"
#include "objects/codec/url.h"
#include "objects/storage/key_path.h"

namespace tavola::objects {
namespace {

constexpr std::string_view kLocalhost = ".localhost";

// Returns "photos" for "photos.localhost:8002"; empty if the name of the server names no bucket.
std::string bucket_of_host(std::string_view authority) {
  const std::string host = lower_case(authority.substr(0, authority.rfind(':')));
  if (!host.ends_with(kLocalhost)) return {};
  return host.substr(0, host.size() - kLocalhost.size());
}

}  // namespace

Result<S3Request> S3Request::read(const http::Request& request) {
  S3Request read{.http = request};
  // A signature covers Host. The name in the request line must not select another bucket.
  if (!request.authority.empty() && !same_text(request.authority, request.header("host")))
    return fail(invalid_uri());
  std::optional<std::string> path = percent_decoded(request.path);
  if (!path || !is_utf8(*path) || !path->starts_with('/')) return fail(invalid_uri());
  std::string_view rest = std::string_view(*path).substr(1);
  read.bucket = bucket_of_host(request.header("host"));
  if (read.bucket.empty()) {
    const std::size_t size = std::min(rest.find('/'), rest.size());
    read.bucket = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  read.key = rest;
  if (read.key.size() > kKeyBytesMax) return fail(key_too_long());
  read.parameters = access::query_parameters(request.query);
  return read;
}

bool S3Request::has(std::string_view name) const {
  return std::ranges::any_of(parameters, [&](const auto& one) { return one.first == name; });
}

std::string_view S3Request::parameter(std::string_view name) const {
  for (const auto& [one, value] : parameters)
    if (one == name) return value;
  return {};
}

bool uploads_body(const S3Request& request) {
  return request.http.method == "PUT" && !request.bucket.empty() && !request.key.empty() &&
         request.header("x-amz-copy-source").empty();
}

Result<std::uint64_t> parse_count(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return fail(
        invalid_argument("Provided " + std::string(what) + " not an integer or within integer range"));
  }
  return value;
}

Result<std::optional<ByteRange>> parse_range(std::string_view header, std::uint64_t object_bytes) {
  constexpr std::string_view kUnit = "bytes=";
  const std::size_t dash = header.find('-');
  if (!header.starts_with(kUnit) || header.contains(',') || dash == std::string_view::npos)
    return std::optional<ByteRange>();
  const std::string_view first_text = trimmed(header.substr(kUnit.size(), dash - kUnit.size()));
  const std::string_view last_text = trimmed(header.substr(dash + 1));
  const Result<std::uint64_t> first = parse_count(first_text, "range");
  const Result<std::uint64_t> last = parse_count(last_text, "range");
  if (first_text.empty() && last) {  // the last bytes
    if (*last == 0 || object_bytes == 0) return fail(invalid_range());
    const std::uint64_t size = std::min(*last, object_bytes);
    return ByteRange{.offset = object_bytes - size, .size_bytes = size};
  }
  if (!first || (!last && !last_text.empty()) || (last && *last < *first)) return std::optional<ByteRange>();
  if (*first >= object_bytes) return fail(invalid_range());
  const std::uint64_t end = last ? std::min(*last, object_bytes - 1) + 1 : object_bytes;
  return ByteRange{.offset = *first, .size_bytes = end - *first};
}

}  // namespace tavola::objects
