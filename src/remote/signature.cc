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

bool is_plain(char c) { return is_letter(c) || is_digit(c) || std::string_view("-_.~").contains(c); }

// Services other than S3 sign the encoded path, encoded once more.
std::string signed_path(const std::string& path, std::string_view service) {
  return service == "s3" ? path : percent_encoded(path, "/");
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

// The headers as they are signed.
struct CanonicalHeaders {
  std::string names;  // "host;x-amz-date"
  std::string lines;  // "host:example.com\nx-amz-date:20130609T100759Z\n"
};

CanonicalHeaders canonical(const std::vector<std::string>& lines) {
  std::vector<NamedHeader> headers;
  headers.reserve(lines.size());
  for (const std::string& line : lines) headers.push_back(named(line));
  std::ranges::sort(headers, {}, &NamedHeader::name);
  CanonicalHeaders found;
  for (const NamedHeader& header : headers) {
    found.lines.append(header.name).append(":").append(header.value).append("\n");
    if (!found.names.empty()) found.names += ';';
    found.names += header.name;
  }
  return found;
}

std::string canonical_request(const SignedRequest& request, const UrlParts& url,
                              const CanonicalHeaders& headers, std::string_view body_hash) {
  std::string text;
  text.append(request.method).append("\n").append(signed_path(url.path, request.service)).append("\n");
  text.append(signed_query(url.query)).append("\n");
  text.append(headers.lines).append("\n").append(headers.names).append("\n").append(body_hash);
  return text;
}

constexpr std::size_t kDayLength = std::string_view("20130609").size();
constexpr const char* kScopeEnd = "/aws4_request";

// "20130609T100759Z"
std::string basic_time(WallTime now) {
  std::string text = iso8601(now);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

}  // namespace

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
  std::string encoded;
  for (const char c : text) {
    if (is_plain(c) || also_plain.contains(c)) {
      encoded += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      encoded.append("%").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 0xfU]);
    }
  }
  return encoded;
}

std::vector<std::string> Signer::signed_headers(const SignedRequest& request, const Credentials& credentials,
                                                WallTime now) {
  const std::string time = basic_time(now);
  const UrlParts url = parts_of(request.url);
  std::vector<std::string> lines = request.headers;
  lines.push_back("Host: " + url.host);
  lines.push_back("X-Amz-Date: " + time);
  if (!credentials.session_token.empty())
    lines.push_back("X-Amz-Security-Token: " + credentials.session_token);
  const CanonicalHeaders headers = canonical(lines);
  const std::string text = canonical_request(request, url, headers, to_hex(sha256({request.body})));
  lines.push_back("Authorization: AWS4-HMAC-SHA256 Credential=" + credentials.access_key_id + "/" +
                  scope_of(time, request.service) + kScopeEnd + ", SignedHeaders=" + headers.names +
                  ", Signature=" + sign(text, time, request.service, credentials.secret_access_key));
  return lines;
}

std::string Signer::presigned_url(const SignedRequest& request, const Credentials& credentials, WallTime now,
                                  std::chrono::seconds lifetime) {
  const std::string time = basic_time(now);
  UrlParts url = parts_of(request.url);
  std::vector<std::string> lines = request.headers;
  lines.push_back("Host: " + url.host);
  const CanonicalHeaders headers = canonical(lines);
  std::vector<std::string> parameters;
  for_each_part(url.query, '&', [&parameters](std::string_view part) {
    if (!part.empty()) parameters.emplace_back(part.contains('=') ? part : std::string(part) + "=");
  });
  const auto add = [&parameters](std::string_view name, std::string_view value) {
    parameters.push_back(std::string(name) + "=" + percent_encoded(value, {}));
  };
  add("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
  add("X-Amz-Credential", credentials.access_key_id + "/" + scope_of(time, request.service) + kScopeEnd);
  add("X-Amz-Date", time);
  add("X-Amz-Expires", std::to_string(lifetime.count()));
  if (!credentials.session_token.empty()) add("X-Amz-Security-Token", credentials.session_token);
  add("X-Amz-SignedHeaders", headers.names);
  std::ranges::sort(parameters);
  url.query.clear();
  for (const std::string& parameter : parameters) url.query += (url.query.empty() ? "" : "&") + parameter;
  const std::string text = canonical_request(request, url, headers, "UNSIGNED-PAYLOAD");
  return request.url.substr(0, request.url.find('?')) + "?" + url.query +
         "&X-Amz-Signature=" + sign(text, time, request.service, credentials.secret_access_key);
}

std::string Signer::scope_of(std::string_view time, std::string_view service) const {
  return std::string(time.substr(0, kDayLength)) + "/" + region_ + "/" + std::string(service);
}

std::string Signer::sign(const std::string& canonical, const std::string& time, std::string_view service,
                         const std::string& secret) {
  const std::string scope = scope_of(time, service);
  const std::string text =
      "AWS4-HMAC-SHA256\n" + time + "\n" + scope + kScopeEnd + "\n" + to_hex(sha256({canonical}));
  return to_hex(hmac_sha256(key_of(scope, service, secret), text));
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
