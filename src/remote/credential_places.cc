#include "remote/credential_places.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/timestamps.h"
#include "remote/target.h"
#include "wire/codec/json.h"

namespace tavola::remote {
namespace {

constexpr long kOk = 200;

Error no_credentials(const std::string& why) { return {ErrorCode::AccessDenied, "no credentials: " + why}; }

std::string setting(const Settings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

std::string region_of(const Environment& environment) {
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::string region = environment(name); !region.empty()) return region;
  }
  return "us-east-1";
}

std::string one_line(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

std::string form_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || std::string_view("-_.~").contains(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.append("%").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 0xfU]);
  }
  return encoded;
}

Result<std::string> body_of(HttpClient& http, const HttpRequest& request, const std::string& place) {
  const Result<HttpAnswer> answer = http.send(request);
  if (!answer) return fail(no_credentials(place + ": " + answer.error().message()));
  if (answer->status == kOk) return answer->body;
  return fail(no_credentials(place + " answered " + std::to_string(answer->status) + ": " +
                             answer->body.substr(0, 200)));
}

std::string text_member(wire::JsonValue object, std::string_view name) {
  const auto member = object.find(name);
  return member && member->type() == wire::JsonType::String ? std::string(member->text()) : std::string();
}

// Reads {"AccessKeyId": …, "SecretAccessKey": …, "Token": …, "Expiration": …}.
Found read_metadata(const std::string& body, const std::string& place) {
  const auto document = wire::JsonDocument::parse(body);
  if (!document || document->root().type() != wire::JsonType::Object)
    return fail(no_credentials(place + " answered no JSON object"));
  const wire::JsonValue root = document->root();
  FoundCredentials found{.credentials = {.access_key_id = text_member(root, "AccessKeyId"),
                                         .secret_access_key = text_member(root, "SecretAccessKey"),
                                         .session_token = text_member(root, "Token")},
                         .expires_at = parse_any_iso8601(text_member(root, "Expiration"))};
  if (found.credentials.access_key_id.empty() || found.credentials.secret_access_key.empty())
    return fail(no_credentials(place + " answered without an access key"));
  return std::optional(std::move(found));
}

// Returns the text of the first element of a name in XML.
std::string element(std::string_view xml, const std::string& name) {
  const std::string start = "<" + name + ">";
  const std::size_t begin = xml.find(start);
  const std::size_t end = begin == std::string_view::npos ? begin : xml.find("</" + name + ">", begin);
  if (end == std::string_view::npos) return {};
  return std::string(xml.substr(begin + start.size(), end - begin - start.size()));
}

// A role of AWS, and the file with the token of the identity that takes it.
struct WebIdentity {
  std::string role_arn;
  std::string token_file;
  std::string session_name;
  std::string region;
};

Found assume_role(const Search& search, const WebIdentity& identity) {
  const std::string place = "the role " + identity.role_arn;
  const Result<std::string> token = read_file(identity.token_file);
  if (!token) return fail(no_credentials(place + ": " + token.error().message()));
  std::string url = search.environment("AWS_ENDPOINT_URL_STS");
  if (url.empty()) url = aws_url("sts", identity.region);
  const std::string session = identity.session_name.empty() ? "tavola" : identity.session_name;
  const std::string form =
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + form_encoded(identity.role_arn) +
      "&RoleSessionName=" + form_encoded(session) + "&WebIdentityToken=" + form_encoded(one_line(*token));
  TAVOLA_TRY(const std::string xml, body_of(search.http,
                                            {.method = "POST",
                                             .url = url,
                                             .headers = {"Content-Type: application/x-www-form-urlencoded"},
                                             .body = form},
                                            place));
  FoundCredentials found{.credentials = {.access_key_id = element(xml, "AccessKeyId"),
                                         .secret_access_key = element(xml, "SecretAccessKey"),
                                         .session_token = element(xml, "SessionToken")},
                         .expires_at = parse_any_iso8601(element(xml, "Expiration"))};
  if (found.credentials.access_key_id.empty())
    return fail(no_credentials(place + ": AWS STS gave no access key"));
  return std::optional(std::move(found));
}

// The settings of a session of AWS IAM Identity Center: of the profile, and of the "sso-session" that it names.
struct SsoSettings {
  std::string cache_key;  // the start URL, or the name of the session
  std::string region;
  std::string account;
  std::string role;
};

Found from_sso(const Search& search, const SsoSettings& sso) {
  const std::string login = "; run `aws sso login`";
  const std::string name = to_hex(sha1(sso.cache_key)) + ".json";
  const std::string file = search.environment("HOME") + "/.aws/sso/cache/" + name;
  const Result<std::string> text = read_file(file);
  if (!text) return fail(no_credentials("there is no session of " + sso.cache_key + login));
  const auto document = wire::JsonDocument::parse(*text);
  if (!document || document->root().type() != wire::JsonType::Object)
    return fail(no_credentials(file + " is not JSON" + login));
  const std::string token = text_member(document->root(), "accessToken");
  const auto ends = parse_any_iso8601(text_member(document->root(), "expiresAt"));
  if (token.empty() || !ends || *ends <= Clock::system().now())
    return fail(no_credentials("the session of " + sso.cache_key + " has ended" + login));
  std::string url = search.environment("AWS_ENDPOINT_URL_SSO");
  if (url.empty()) url = aws_url("portal.sso", sso.region);
  url += "/federation/credentials?account_id=" + form_encoded(sso.account) +
         "&role_name=" + form_encoded(sso.role);
  TAVOLA_TRY(const std::string body,
             body_of(search.http, {.url = url, .headers = {"x-amz-sso_bearer_token: " + token}},
                     "AWS IAM Identity Center"));
  const auto answer = wire::JsonDocument::parse(body);
  const auto role = answer && answer->root().type() == wire::JsonType::Object
                        ? answer->root().find("roleCredentials")
                        : std::nullopt;
  if (!role || role->type() != wire::JsonType::Object)
    return fail(no_credentials("AWS IAM Identity Center answered without credentials"));
  const auto expiration = role->find("expiration");
  FoundCredentials found{.credentials = {.access_key_id = text_member(*role, "accessKeyId"),
                                         .secret_access_key = text_member(*role, "secretAccessKey"),
                                         .session_token = text_member(*role, "sessionToken")}};
  if (expiration && expiration->type() == wire::JsonType::Integer)
    found.expires_at = WallTime(std::chrono::milliseconds(expiration->integer()));
  return std::optional(std::move(found));
}

std::optional<Credentials> keys_in(const Settings& profile) {
  Credentials keys{.access_key_id = setting(profile, "aws_access_key_id"),
                   .secret_access_key = setting(profile, "aws_secret_access_key"),
                   .session_token = setting(profile, "aws_session_token")};
  if (keys.access_key_id.empty() || keys.secret_access_key.empty()) return std::nullopt;
  return keys;
}

// A token must not be sent in the clear to another machine: only to this one, and to the addresses of AWS's agents.
bool may_get_token(const std::string& url) {
  if (url.starts_with("https://")) return true;
  if (url.contains('@')) return false;  // "http://localhost:80@elsewhere.example/"
  constexpr std::array<std::string_view, 6> kHosts{"127.0.0.1",     "localhost",      "[::1]",
                                                   "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
  return std::ranges::any_of(kHosts, [&url](std::string_view host) {
    const std::string start = "http://" + std::string(host);
    if (!url.starts_with(start)) return false;
    const std::string_view rest = std::string_view(url).substr(start.size());
    return rest.empty() || rest.front() == ':' || rest.front() == '/';
  });
}

}  // namespace

Found from_variables(const Environment& environment) {
  Credentials keys{.access_key_id = environment("AWS_ACCESS_KEY_ID"),
                   .secret_access_key = environment("AWS_SECRET_ACCESS_KEY"),
                   .session_token = environment("AWS_SESSION_TOKEN")};
  if (keys.access_key_id.empty() || keys.secret_access_key.empty()) return std::optional<FoundCredentials>();
  return std::optional(FoundCredentials{.credentials = std::move(keys)});
}

Found from_profile_keys(const Environment& environment) {
  const ProfileFiles files = read_profile_files(environment);
  const auto profile = files.profiles.find(profile_name(environment));
  const auto keys = profile == files.profiles.end() ? std::nullopt : keys_in(profile->second);
  if (!keys) return std::optional<FoundCredentials>();
  return std::optional(FoundCredentials{.credentials = *keys});
}

Found from_web_identity(const Search& search) {
  WebIdentity identity{.role_arn = search.environment("AWS_ROLE_ARN"),
                       .token_file = search.environment("AWS_WEB_IDENTITY_TOKEN_FILE"),
                       .session_name = search.environment("AWS_ROLE_SESSION_NAME"),
                       .region = region_of(search.environment)};
  if (identity.role_arn.empty() || identity.token_file.empty()) return std::optional<FoundCredentials>();
  return assume_role(search, identity);
}

Found from_profile(const Search& search) {
  const ProfileFiles files = read_profile_files(search.environment);
  const std::string name = profile_name(search.environment);
  const auto found = files.profiles.find(name);
  if (found == files.profiles.end()) {
    if (search.environment("AWS_PROFILE").empty()) return std::optional<FoundCredentials>();
    return fail(no_credentials("there is no profile " + name + " in the files of AWS_PROFILE"));
  }
  const Settings& profile = found->second;
  if (const auto keys = keys_in(profile)) return std::optional(FoundCredentials{.credentials = *keys});
  const std::string role = setting(profile, "role_arn");
  if (!role.empty()) {
    const std::string token_file = setting(profile, "web_identity_token_file");
    if (token_file.empty()) {
      return fail(no_credentials("the profile " + name + " takes a role by other means than a " +
                                 "web_identity_token_file, which Tavola does not support; use `aws configure "
                                 "export-credentials --format env`"));
    }
    const std::string region = setting(profile, "region");
    return assume_role(search, {.role_arn = role,
                                .token_file = token_file,
                                .session_name = setting(profile, "role_session_name"),
                                .region = region.empty() ? region_of(search.environment) : region});
  }
  SsoSettings sso{.cache_key = setting(profile, "sso_start_url"),
                  .region = setting(profile, "sso_region"),
                  .account = setting(profile, "sso_account_id"),
                  .role = setting(profile, "sso_role_name")};
  if (const std::string session = setting(profile, "sso_session"); !session.empty()) {
    sso.cache_key = session;
    if (const auto settings = files.sso_sessions.find(session); settings != files.sso_sessions.end())
      sso.region = setting(settings->second, "sso_region");
  }
  if (!sso.account.empty() && !sso.cache_key.empty()) return from_sso(search, sso);
  return std::optional<FoundCredentials>();
}

Found from_container(const Search& search) {
  const std::string relative = search.environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string full = search.environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative.empty() && full.empty()) return std::optional<FoundCredentials>();
  const std::string url = relative.empty() ? full : "http://169.254.170.2" + relative;
  const std::string place = "the container's credentials at " + url;
  if (!may_get_token(url))
    return fail(no_credentials(place + ": the address is neither https nor of this machine"));
  std::string token = search.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = search.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
    Result<std::string> text = read_file(file);
    if (!text) return fail(no_credentials(place + ": " + text.error().message()));
    token = one_line(*std::move(text));
  }
  std::vector<std::string> headers;
  if (!token.empty()) headers.push_back("Authorization: " + token);
  TAVOLA_TRY(const std::string body,
             body_of(search.http, {.url = url, .headers = std::move(headers)}, place));
  return read_metadata(body, place);
}

Found from_instance(const Search& search) {
  if (lower_case(search.environment("AWS_EC2_METADATA_DISABLED")) == "true")
    return std::optional<FoundCredentials>();
  std::string url = search.environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (url.empty()) url = "http://169.254.169.254";
  while (url.ends_with('/')) url.pop_back();
  const Result<HttpAnswer> session =
      search.http.send({.method = "PUT",
                        .url = url + "/latest/api/token",
                        .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"}});
  if (!session || session->status != kOk) return std::optional<FoundCredentials>();  // not on an instance
  const std::string place = "the instance metadata service";
  const std::string header = "X-aws-ec2-metadata-token: " + session->body;
  const std::string roles = url + "/latest/meta-data/iam/security-credentials/";
  TAVOLA_TRY(const std::string role, body_of(search.http, {.url = roles, .headers = {header}}, place));
  TAVOLA_TRY(const std::string body,
             body_of(search.http, {.url = roles + one_line(role), .headers = {header}}, place));
  return read_metadata(body, place);
}

}  // namespace tavola::remote
