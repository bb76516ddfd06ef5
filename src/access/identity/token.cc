#include "access/identity/token.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "design/model/plain_json.h"

namespace tavola::access {
namespace {

Error token_error(std::string why) { return {ErrorCode::InvalidSignature, std::move(why)}; }

// Returns header, payload and signature, still encoded.
Result<std::array<std::string_view, 3>> parts_of(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == std::string_view::npos || first == last ||
      token.substr(first + 1, last - first - 1).find('.') != std::string_view::npos) {
    return fail(token_error("The token is not a JWT: it must have three parts separated by dots"));
  }
  return std::array{token.substr(0, first), token.substr(first + 1, last - first - 1),
                    token.substr(last + 1)};
}

Result<Map> read_object(std::string_view letters, std::string_view part) {
  const std::optional<std::string> text = from_base64url(letters);
  if (!text) return fail(token_error("The token's " + std::string(part) + " is not base64url"));
  const Result<Value> value = design::parse_plain_json(*text);
  if (!value || value->type() != Type::Map) {
    return fail(token_error("The token's " + std::string(part) + " is not a JSON object"));
  }
  return value->map();
}

const Value* find(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

bool is_text(const Value* value, std::string_view text) {
  return value != nullptr && value->is_string() && value->string() == text;
}

// Returns seconds since 1970, possibly with a fraction.
Result<std::optional<double>> moment(const Map& claims, std::string_view name) {
  const Value* const value = find(claims, name);
  if (value == nullptr) return std::nullopt;
  if (value->type() != Type::Number) {
    return fail(token_error("The token's " + std::string(name) + " must be a number of seconds"));
  }
  return value->number().to_double();
}

Result<void> check_time(const Map& claims, WallTime now) {
  const double seconds = static_cast<double>(now.time_since_epoch().count()) / 1000;
  const auto leeway = static_cast<double>(kClockLeeway.count());
  TAVOLA_TRY(const std::optional<double> expires, moment(claims, "exp"));
  TAVOLA_TRY(const std::optional<double> begins, moment(claims, "nbf"));
  if (!expires)
    return fail(token_error("The token has no exp: a token that never expires could not be revoked"));
  if (seconds >= *expires + leeway) return fail(token_error("The token has expired; log in again"));
  if (begins && seconds < *begins - leeway) return fail(token_error("The token is not valid yet"));
  return {};
}

bool is_for(const Map& claims, const std::string& audience) {
  const Value* const said = find(claims, "aud");
  if (said == nullptr) return is_text(find(claims, "client_id"), audience);  // Cognito's access tokens
  if (said->type() != Type::List) return is_text(said, audience);
  return std::ranges::any_of(said->list(), [&](const Value& one) { return is_text(&one, audience); });
}

Result<std::vector<std::string>> groups_of(const Map& claims, const std::string& claim) {
  std::vector<std::string> groups;
  const std::vector<std::string> names =
      claim.empty() ? std::vector<std::string>{"groups", "cognito:groups"} : std::vector{claim};
  for (const std::string& name : names) {
    const Value* const said = find(claims, name);
    if (said == nullptr || said->is_null()) continue;
    const bool is_list = said->type() == Type::List;
    if (!is_list || !std::ranges::all_of(said->list(), [](const Value& one) { return one.is_string(); })) {
      return fail(token_error("The token's " + name + " must be a list of texts"));
    }
    for (const Value& one : said->list()) groups.push_back(one.string());
  }
  return groups;
}

}  // namespace

std::optional<std::string_view> bearer_of(const http::Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  std::string_view said = request.header("authorization");
  if (!same_text(said.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  said.remove_prefix(kScheme.size());
  while (said.starts_with(' ')) said.remove_prefix(1);
  return said.empty() ? std::nullopt : std::optional(said);
}

Result<TokenVerifier> TokenVerifier::make(Parts parts) {
  if (parts.secret.empty() && parts.keys.empty()) {
    return fail(Error::validation("there is neither a secret nor a key to verify tokens with"));
  }
  if (!parts.secret.empty() && parts.secret.size() < kSecretBytesMin) {
    return fail(Error::validation("a secret for tokens must have at least 32 bytes (has " +
                                  std::to_string(parts.secret.size()) +
                                  "); `openssl rand -hex 32` makes one"));
  }
  return TokenVerifier(std::move(parts));
}

bool TokenVerifier::is_signed(const Map& header, std::string_view text, std::string_view signature) const {
  const Value* const algorithm = find(header, "alg");
  if (is_text(algorithm, "HS256")) {
    return !parts_.secret.empty() && same_secret(hmac_sha256(parts_.secret, text), signature);
  }
  const Value* const id = find(header, "kid");
  return std::ranges::any_of(parts_.keys, [&](const PublicKey& key) {
    if (!is_text(algorithm, key.algorithm())) return false;
    const bool is_meant = id == nullptr || key.id().empty() || is_text(id, key.id());
    return is_meant && key.verifies(text, signature);
  });
}

Result<Map> TokenVerifier::claims(std::string_view token) const {
  TAVOLA_TRY(const auto parts, parts_of(token));
  TAVOLA_TRY(const Map header, read_object(parts[0], "header"));
  // RFC 7515, section 4.1.11: a verifier must refuse critical extensions that it does not understand.
  if (find(header, "crit") != nullptr)
    return fail(token_error("The token needs extensions that this server does not support"));
  const std::optional<std::string> signature = from_base64url(parts[2]);
  const std::string_view text = token.substr(0, parts[0].size() + 1 + parts[1].size());
  if (!signature || !is_signed(header, text, *signature)) {
    return fail(token_error("The token is not signed by an issuer that this server accepts"));
  }
  return read_object(parts[1], "payload");
}

std::optional<std::string> key_id_of(std::string_view token) {
  const auto parts = parts_of(token);
  const auto header = parts ? read_object((*parts)[0], "header") : Result<Map>(Map());
  const Value* const id = header ? find(*header, "kid") : nullptr;
  return id != nullptr && id->is_string() ? std::optional(id->string()) : std::nullopt;
}

Result<Map> TokenVerifier::valid_claims(std::string_view token, WallTime now) const {
  TAVOLA_TRY(Map claims, this->claims(token));
  TAVOLA_CHECK(check_time(claims, now));
  if (!parts_.issuer.empty() && !is_text(find(claims, "iss"), parts_.issuer)) {
    return fail(token_error("The token's iss must be " + parts_.issuer));
  }
  if (!parts_.audience.empty() && !is_for(claims, parts_.audience)) {
    return fail(token_error("The token's aud must be " + parts_.audience));
  }
  return claims;
}

Result<design::Identity> TokenVerifier::verify(std::string_view token, WallTime now) const {
  TAVOLA_TRY(const Map claims, valid_claims(token, now));
  return identity_in(claims, parts_.groups_claim);
}

Result<design::Identity> identity_in(const Map& claims, const std::string& groups_claim) {
  const Value* const sub = find(claims, "sub");
  if (sub == nullptr || !sub->is_string() || sub->string().empty()) {
    return fail(token_error("The token does not identify a person (sub)"));
  }
  TAVOLA_TRY(std::vector<std::string> groups, groups_of(claims, groups_claim));
  return design::Identity{.sub = sub->string(), .groups = std::move(groups)};
}

std::string sign_token(std::string_view secret, const NewToken& token) {
  const auto issued = std::chrono::floor<std::chrono::seconds>(token.issued.time_since_epoch());
  Map claims{{"sub", token.sub}, {"iat", issued.count()}, {"exp", (issued + token.valid_for).count()}};
  if (!token.groups.empty()) {
    List groups;
    for (const std::string& group : token.groups) groups.emplace_back(group);
    claims["groups"] = Value(std::move(groups));
  }
  if (!token.issuer.empty()) claims["iss"] = Value(token.issuer);
  if (!token.audience.empty()) claims["aud"] = Value(token.audience);
  const std::string text = to_base64url(R"({"alg":"HS256","typ":"JWT"})") + "." +
                           to_base64url(design::to_plain_json(Value(std::move(claims))));
  return text + "." + to_base64url(hmac_sha256(secret, text));
}

}  // namespace tavola::access
