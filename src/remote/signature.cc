#include "remote/signature.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/timestamps.h"

namespace tavola::remote {
namespace {

// The parts of a URL as they are sent.
struct UrlParts {
  std::string host;   // with the port, unless it is the scheme's own
  std::string path;   // "/" at least
  std::string query;  // without '?'
};

UrlParts parts_of(std::string_view url) {
  const bool is_tls = url.starts_with("https://");
  url.remove_prefix(std::min(url.size(), url.find("://") + 3));
  const std::size_t end = std::min(url.find_first_of("/?"), url.size());
  std::string_view host = url.substr(0, end);
  const std::string_view own_port = is_tls ? ":443" : ":80";
  if (host.ends_with(own_port)) host.remove_suffix(own_port.size());
  const std::string_view rest = url.substr(end);
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  std::string path(rest.substr(0, mark));
  if (path.empty()) path = "/";
  return {.host = std::string(host),
          .path = std::move(path),
          .query = std::string(mark < rest.size() ? rest.substr(mark + 1) : std::string_view())};
}

bool is_plain(char c) { return is_letter(c) || is_digit(c) || std::string_view("-_.~/").contains(c); }

// Services other than S3 sign the encoded path, encoded once more.
std::string signed_path(const std::string& path, std::string_view service) {
  if (service == "s3") return path;
  std::string encoded;
  for (const char c : path) {
    if (is_plain(c)) {
      encoded += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      encoded.append("%").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 0xfU]);
    }
  }
  return encoded;
}

// "a=1&b" is signed as "a=1&b=".
std::string signed_query(std::string_view query) {
  std::string text;
  if (query.empty()) return text;
  for_each_part(query, '&', [&text](std::string_view part) {
    if (!text.empty()) text += '&';
    text += part;
    if (!part.contains('=')) text += '=';
  });
  return text;
}

struct NamedHeader {
  std::string name;  // lower case
  std::string value;
};

NamedHeader named(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  return {.name = lower_case(line.substr(0, colon)),
          .value = std::string(trimmed(line.substr(std::min(colon + 1, line.size()))))};
}

// "20130609T100759Z"
std::string basic_time(WallTime now) {
  std::string text = iso8601(now);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

}  // namespace

std::vector<std::string> Signer::signed_headers(const SignedRequest& request, const Credentials& credentials,
                                                WallTime now) {
  const std::string time = basic_time(now);
  const std::string day = time.substr(0, 8);
  const UrlParts url = parts_of(request.url);
  std::vector<std::string> lines = request.headers;
  lines.push_back("Host: " + url.host);
  lines.push_back("X-Amz-Date: " + time);
  if (!credentials.session_token.empty())
    lines.push_back("X-Amz-Security-Token: " + credentials.session_token);

  std::vector<NamedHeader> headers;
  headers.reserve(lines.size());
  for (const std::string& line : lines) headers.push_back(named(line));
  std::ranges::sort(headers, {}, &NamedHeader::name);
  std::string names;
  std::string canonical;
  canonical.append(request.method).append("\n").append(signed_path(url.path, request.service)).append("\n");
  canonical.append(signed_query(url.query)).append("\n");
  for (const NamedHeader& header : headers) {
    canonical.append(header.name).append(":").append(header.value).append("\n");
    if (!names.empty()) names += ';';
    names += header.name;
  }
  canonical.append("\n").append(names).append("\n").append(to_hex(sha256({request.body})));

  const std::string scope = day + "/" + region_ + "/" + std::string(request.service);
  const std::string signed_scope = scope + "/aws4_request";
  const std::string text =
      "AWS4-HMAC-SHA256\n" + time + "\n" + signed_scope + "\n" + to_hex(sha256({canonical}));
  const std::string key = key_of(scope, request.service, credentials.secret_access_key);
  lines.push_back("Authorization: AWS4-HMAC-SHA256 Credential=" + credentials.access_key_id + "/" +
                  signed_scope + ", SignedHeaders=" + names +
                  ", Signature=" + to_hex(hmac_sha256(key, text)));
  return lines;
}

std::string Signer::key_of(std::string_view scope, std::string_view service, const std::string& secret) {
  const MutexLock lock(mutex_);
  if (latest_.scope == scope && latest_.secret == secret) return latest_.key;
  std::string key = hmac_sha256("AWS4" + secret, scope.substr(0, scope.find('/')));
  key = hmac_sha256(key, region_);
  key = hmac_sha256(key, service);
  key = hmac_sha256(key, "aws4_request");
  latest_ = {.scope = std::string(scope), .secret = secret, .key = key};
  return key;
}

}  // namespace tavola::remote
