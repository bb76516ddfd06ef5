#include "systems/host/openid/issuer.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/url_host.h"
#include "json/reader.h"
#include "systems/host/openid/parameters.h"

namespace tavola::systems {
namespace {

constexpr std::chrono::seconds kKeptMin{60};
constexpr std::chrono::seconds kKeptMax{24 * 3600};
constexpr std::chrono::seconds kKeptByDefault{3600};
constexpr std::size_t kReloadsPerMinute = 10;
constexpr int kConnections = 4;
constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kReasonMax = 200;  // characters of an issuer's own words that are repeated

// Returns how long an answer may be kept by its Cache-Control.
std::chrono::seconds kept_for(const remote::HttpAnswer& answer) {
  constexpr std::string_view kAge = "max-age=";
  const std::string_view control = answer.header("cache-control");
  const std::size_t at = control.find(kAge);
  std::int64_t seconds = kKeptByDefault.count();
  if (at != std::string_view::npos) {
    const std::string_view digits = control.substr(at + kAge.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  }
  return std::clamp(std::chrono::seconds(seconds), kKeptMin, kKeptMax);
}

bool is_of_this_machine(std::string_view url) {
  const std::string_view host = host_in(url);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

bool is_safe(std::string_view url) {
  return url.starts_with("https://") || (url.starts_with("http://") && is_of_this_machine(url));
}

Result<std::string> endpoint_of(const json::Node& document, std::string_view name) {
  std::string url = document.text_at(name);
  if (url.empty()) return fail(Error::validation("the issuer's metadata has no " + std::string(name)));
  if (!is_safe(url)) {
    return fail(Error::validation("the issuer's " + std::string(name) + " is not an https address: " + url));
  }
  return url;
}

bool lists(const json::Node& document, std::string_view name, std::string_view word) {
  const json::Node* const list = document.find(name);
  return list != nullptr &&
         std::ranges::any_of(list->elements, [&](const json::Node& one) { return one.text == word; });
}

Result<IssuerMetadata> read_metadata(const std::string& issuer, const std::string& text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object())
    return fail(Error::validation("the issuer's metadata is not a JSON object"));
  if (const std::string named = document->text_at("issuer"); named != issuer) {
    return fail(Error::validation("the metadata is that of the issuer \"" + named + "\", not of \"" + issuer +
                                  "\"; both must be spelled alike"));
  }
  IssuerMetadata metadata;
  TAVOLA_TRY(metadata.authorization_endpoint, endpoint_of(*document, "authorization_endpoint"));
  TAVOLA_TRY(metadata.token_endpoint, endpoint_of(*document, "token_endpoint"));
  TAVOLA_TRY(metadata.jwks_uri, endpoint_of(*document, "jwks_uri"));
  if (document->find("end_session_endpoint") != nullptr) {
    TAVOLA_TRY(metadata.end_session_endpoint, endpoint_of(*document, "end_session_endpoint"));
  }
  constexpr std::string_view kMethods = "token_endpoint_auth_methods_supported";
  metadata.takes_basic =
      document->find(kMethods) == nullptr || lists(*document, kMethods, "client_secret_basic");
  metadata.names_itself = document->text_at("authorization_response_iss_parameter_supported") == "true";
  return metadata;
}

const std::string* text_claim(const Map& claims, std::string_view name) {
  const auto found = claims.find(name);
  return found != claims.end() && found->second.is_string() ? &found->second.string() : nullptr;
}

// The checks of OpenID Connect Core, section 3.1.3.7, beyond those of every token.
Result<void> check_id_token(const Map& claims, const std::string& client_id, std::string_view nonce) {
  const auto audience = claims.find("aud");
  if (audience == claims.end()) return fail(Error::validation("The ID token has no aud"));
  const std::string* const party = text_claim(claims, "azp");
  const bool is_for_many = audience->second.type() == Type::List && audience->second.list().size() > 1;
  if (party == nullptr ? is_for_many : *party != client_id) {
    return fail(Error::validation("The ID token's azp must be " + client_id));
  }
  const std::string* const said = text_claim(claims, "nonce");
  if (said == nullptr || *said != nonce) {
    return fail(Error::validation("The ID token's nonce is not that of this login"));
  }
  return {};
}

// Returns what an issuer says about an error: its own words, cut short.
std::string reason_in(const remote::HttpAnswer& answer) {
  const auto body = json::parse(answer.body);
  if (!body || !body->is_object()) return "it answered " + std::to_string(answer.status);
  const std::string words = body->text_at("error_description");
  return body->text_at("error") + (words.empty() ? "" : ": " + words.substr(0, kReasonMax));
}

}  // namespace

Result<void> Issuer::check_url(const std::string& url) {
  if (is_safe(url) && !url.contains('?') && !url.contains('#') && !host_in(url).empty()) return {};
  return fail(Error::validation(
      "--oidc-issuer must be an https address without ? and #, as the issuer itself spells it (was " + url +
      "); http is for issuers on this machine"));
}

Issuer::Issuer(Parts parts)
    : parts_(std::move(parts)),
      client_({.connections = kConnections,
               .answer_timeout = std::chrono::seconds(15),
               .ca_bundle = parts_.ca_bundle,
               .answer_bytes_max = kAnswerBytesMax}),
      reloads_(parts_.clock, kReloadsPerMinute, std::chrono::minutes(1)) {}

Result<remote::HttpAnswer> Issuer::get(const std::string& url) {
  TAVOLA_TRY(remote::HttpAnswer answer, client_.send({.url = url, .headers = {"Accept: application/json"}}));
  if (answer.status == 200) return answer;
  return fail({ErrorCode::Io, url + " answered " + std::to_string(answer.status)});
}

Result<IssuerMetadata> Issuer::metadata() {
  const WallTime now = parts_.clock.now();
  {
    const MutexLock lock(mutex_);
    if (metadata_ && now < metadata_until_) return *metadata_;
  }
  const std::string base =
      parts_.url.ends_with('/') ? parts_.url.substr(0, parts_.url.size() - 1) : parts_.url;
  TAVOLA_TRY(const remote::HttpAnswer answer, get(base + "/.well-known/openid-configuration"));
  TAVOLA_TRY(const IssuerMetadata metadata, read_metadata(parts_.url, answer.body));
  const MutexLock lock(mutex_);
  metadata_ = metadata;
  metadata_until_ = now + kept_for(answer);
  return metadata;
}

Result<std::string> Issuer::id_token_for(const Exchange& exchange) {
  TAVOLA_TRY(const IssuerMetadata metadata, this->metadata());
  Parameters form{{"grant_type", "authorization_code"},
                  {"code", std::string(exchange.code)},
                  {"redirect_uri", std::string(exchange.redirect_uri)},
                  {"code_verifier", std::string(exchange.verifier)}};
  std::vector<std::string> headers{"Content-Type: application/x-www-form-urlencoded",
                                   "Accept: application/json"};
  if (!parts_.client_secret.empty() && metadata.takes_basic) {
    // RFC 6749, section 2.3.1: both are encoded as in a form first.
    const std::string id = write_parameters({{"", parts_.client_id}}).substr(1);
    const std::string secret = write_parameters({{"", parts_.client_secret}}).substr(1);
    headers.push_back("Authorization: Basic " + to_base64(id + ":" + secret));
  } else {
    form.emplace_back("client_id", parts_.client_id);
    if (!parts_.client_secret.empty()) form.emplace_back("client_secret", parts_.client_secret);
  }
  const std::string body = write_parameters(form);
  TAVOLA_TRY(const remote::HttpAnswer answer, client_.send({.method = "POST",
                                                            .url = metadata.token_endpoint,
                                                            .headers = std::move(headers),
                                                            .body = body,
                                                            .ended = remote::HttpRequest::Ended::Once}));
  if (answer.status != 200) {
    return fail(Error::validation("The issuer did not take the code of this login: " + reason_in(answer)));
  }
  const auto tokens = json::parse(answer.body);
  std::string id_token = tokens ? tokens->text_at("id_token") : std::string();
  if (id_token.empty()) {
    return fail(Error::validation(
        "The issuer's answer has no ID token; the scope openid must be allowed for this client"));
  }
  return id_token;
}

Result<Issuer::Keys> Issuer::load_keys() {
  TAVOLA_TRY(const IssuerMetadata metadata, this->metadata());
  TAVOLA_TRY(const remote::HttpAnswer answer, get(metadata.jwks_uri));
  TAVOLA_TRY(std::vector<access::PublicKey> keys, access::read_jwks(answer.body, access::OtherKeys::Skip));
  Keys loaded{.verifier = {}, .ids = {}, .until = parts_.clock.now() + kept_for(answer)};
  for (const access::PublicKey& key : keys) loaded.ids.push_back(key.id());
  TAVOLA_TRY(access::TokenVerifier verifier,
             access::TokenVerifier::make({.keys = std::move(keys),
                                          .issuer = parts_.url,
                                          .audience = parts_.client_id,
                                          .groups_claim = parts_.groups_claim}));
  loaded.verifier = std::make_shared<const access::TokenVerifier>(std::move(verifier));
  const MutexLock lock(mutex_);
  keys_ = loaded;
  return loaded;
}

Result<std::shared_ptr<const access::TokenVerifier>> Issuer::keys_for(const std::optional<std::string>& id) {
  Keys keys;
  {
    const MutexLock lock(mutex_);
    keys = keys_;
  }
  const bool is_fresh = keys.verifier && parts_.clock.now() < keys.until;
  if (!is_fresh) {
    TAVOLA_TRY(keys, load_keys());
  } else if (id && std::ranges::find(keys.ids, *id) == keys.ids.end() && reloads_.note("").count() == 0) {
    // The issuer may have a new key: that is how keys are rotated.
    TAVOLA_TRY(keys, load_keys());
  }
  return keys.verifier;
}

Result<Map> Issuer::claims_of(std::string_view id_token, std::string_view nonce) {
  const std::optional<std::string> key = access::key_id_of(id_token);
  TAVOLA_TRY(const auto verifier, keys_for(key));
  Result<Map> claims = verifier->valid_claims(id_token, parts_.clock.now());
  if (!claims && !key && reloads_.note("").count() == 0) {
    // The token does not say which key it needs, so it may be a new one.
    TAVOLA_TRY(const Keys loaded, load_keys());
    claims = loaded.verifier->valid_claims(id_token, parts_.clock.now());
  }
  if (!claims) return claims;
  TAVOLA_CHECK(check_id_token(*claims, parts_.client_id, nonce));
  return claims;
}

}  // namespace tavola::systems
