#include "access/identity/signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

#include "access/identity/canonical_request.h"
#include "access/identity/signature_parts.h"
#include "base/ascii.h"
#include "base/digest.h"
#include "base/encoding.h"

namespace tavola::access {
namespace {

using Seconds = std::chrono::sys_seconds;

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::string_view kTerminator = "aws4_request";
constexpr auto kClockSkew = std::chrono::minutes(15);
constexpr int kExpiresSecondsMax = 7 * 24 * 60 * 60;
constexpr std::size_t kSigningKeysMax = 1000;
constexpr std::size_t kRegionBytesMax = 64;  // AWS's longest have 14

Error incomplete(std::string message) { return {ErrorCode::IncompleteSignature, std::move(message)}; }
Error invalid(std::string message) { return {ErrorCode::InvalidSignature, std::move(message)}; }
Error invalid(std::string message, SignatureFault::Kind kind) {
  return {ErrorCode::InvalidSignature, std::move(message), std::make_shared<const SignatureFault>(kind)};
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// ---- Time ----

std::optional<int> number(std::string_view digits) {
  int value = 0;
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return std::nullopt;  // no sign
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

struct TimeFields {
  std::optional<int> year, month, day, hour, minute, second;
};

std::optional<Seconds> to_time(const TimeFields& fields) {
  const auto& [year, month, day, hour, minute, second] = fields;
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

// "20130609T100759Z"
std::optional<Seconds> parse_basic_time(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  return to_time({number(text.substr(0, 4)), number(text.substr(4, 2)), number(text.substr(6, 2)),
                  number(text.substr(9, 2)), number(text.substr(11, 2)), number(text.substr(13, 2))});
}

// "Sun, 09 Jun 2013 10:07:59 GMT", of the Date header.
std::optional<Seconds> parse_http_time(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || text.substr(3, 2) != ", " || text[19] != ':' || text[22] != ':' ||
      !text.ends_with(" GMT")) {
    return std::nullopt;
  }
  const std::size_t month = kMonths.find(text.substr(8, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  return to_time({number(text.substr(12, 4)), static_cast<int>(month / 3) + 1, number(text.substr(5, 2)),
                  number(text.substr(17, 2)), number(text.substr(20, 2)), number(text.substr(23, 2))});
}

std::string basic_time(Seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                    static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

Error expired(Seconds signed_at, Seconds now, std::chrono::minutes age, SignatureFault::Kind kind) {
  return invalid("Signature expired: " + basic_time(signed_at) + " is now earlier than " +
                     basic_time(now - age) + " (" + basic_time(now) + " - " + std::to_string(age.count()) +
                     " min.)",
                 kind);
}

Error not_yet_current(Seconds signed_at, Seconds now) {
  return invalid("Signature not yet current: " + basic_time(signed_at) + " is still later than " +
                     basic_time(now + kClockSkew) + " (" + basic_time(now) + " + 15 min.)",
                 SignatureFault::Kind::Clock);
}

// ---- The checks, in AWS's order ----

Result<Seconds> check_time(const SignatureParts& parts, Seconds now) {
  std::optional<Seconds> signed_at = parse_basic_time(parts.date);
  if (!signed_at && !parts.is_in_query) signed_at = parse_http_time(parts.date);
  if (!signed_at) {
    return fail(incomplete("Date must be in ISO-8601 'basic format'. Got " + in_quotes(parts.date) +
                           ". See http://en.wikipedia.org/wiki/ISO_8601"));
  }
  if (*signed_at > now + kClockSkew) return fail(not_yet_current(*signed_at, now));
  if (!parts.is_in_query || parts.expires.empty()) {
    if (*signed_at < now - kClockSkew)
      return fail(expired(*signed_at, now, kClockSkew, SignatureFault::Kind::Clock));
    return *signed_at;
  }
  const std::optional<int> lifetime = number(parts.expires);
  if (!lifetime || *lifetime < 1 || *lifetime > kExpiresSecondsMax) {
    return fail(
        incomplete("X-Amz-Expires must be between 1 and 604800 seconds. Got " + in_quotes(parts.expires)));
  }
  const std::chrono::seconds age(*lifetime);
  if (*signed_at + age < now)
    return fail(expired(*signed_at, now, std::chrono::ceil<std::chrono::minutes>(age),
                        SignatureFault::Kind::UrlExpired));
  return *signed_at;
}

bool is_signed(std::string_view signed_headers, std::string_view name) {
  bool found = false;
  for_each_part(signed_headers, ';', [&](std::string_view header) { found |= same_text(header, name); });
  return found;
}

Result<void> check_signed_headers(const SignatureParts& parts, const http::Request& request) {
  if (!is_signed(parts.signed_headers, "host")) {
    return fail(invalid("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."));
  }
  // It names the operation: unsigned, an intercepted GetItem could be turned into a DeleteTable.
  if (!request.header("x-amz-target").empty() && !is_signed(parts.signed_headers, "x-amz-target")) {
    return fail(invalid("'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization."));
  }
  return {};
}

// S3 also checks the lifetime, and its own headers: they change what the request does.
Result<void> check_s3_parts(const SignatureParts& parts, const http::Request& request) {
  if (parts.is_in_query && parts.expires.empty()) {
    return fail(incomplete("AWS query-string parameters must include 'X-Amz-Expires'."));
  }
  for (const http::Header& header : request.headers) {
    if (!lower_case(header.name).starts_with("x-amz-") || is_signed(parts.signed_headers, header.name))
      continue;
    return fail(
        invalid("There were headers present in the request which were not signed: " + lower_case(header.name),
                SignatureFault::Kind::UnsignedHeader));
  }
  return {};
}

Result<CredentialScope> check_scope(const SignatureParts& parts, Seconds signed_at,
                                    std::string_view service) {
  if (parts.algorithm != kAlgorithm) {
    return fail(incomplete("Unsupported AWS 'algorithm': " + in_quotes(parts.algorithm) +
                           " (only AWS4-HMAC-SHA256 for now). "));
  }
  const CredentialScope scope = split_credential(parts.credential);
  if (scope.elements != 5) {
    return fail(
        incomplete("Credential must have exactly 5 slash-delimited elements, e.g. "
                   "keyid/date/region/service/term, got " +
                   in_quotes(parts.credential)));
  }
  std::string wrong;
  if (scope.region.empty() || scope.region.size() > kRegionBytesMax) {
    wrong += "Credential should be scoped to a valid region, not " + in_quotes(scope.region) + ". ";
  }
  if (scope.service != service)
    wrong += "Credential should be scoped to correct service: " + in_quotes(service) + ". ";
  if (scope.terminator != kTerminator) {
    wrong += "Credential should be scoped with a valid terminator: 'aws4_request', not " +
             in_quotes(scope.terminator) + ". ";
  }
  const std::string date = basic_time(signed_at);
  if (const std::string_view day = std::string_view(date).substr(0, 8); scope.date != day) {
    wrong += "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: " +
             in_quotes(scope.date) + " != " + in_quotes(day) + ", from " + in_quotes(date) + ". ";
  }
  if (!wrong.empty()) {
    wrong.pop_back();
    return fail(invalid(std::move(wrong)));
  }
  return scope;
}

// The hash that the client signed in place of the body, if it is that of the body. "UNSIGNED-PAYLOAD" is not: DynamoDB's
// clients always sign the body, and a signature without it would let anybody change what a caught request does.
Result<std::string> payload_hash(const http::Request& request) {
  const std::string_view claimed = request.header("x-amz-content-sha256");
  std::string actual = to_hex(sha256({request.payload}));
  if (!claimed.empty() && claimed != actual) {
    return fail(invalid("The value of 'X-Amz-Content-SHA256' does not match the SHA-256 of the body."));
  }
  return actual;
}

// The hash that a client of S3 signed; the reader of the body compares it. A presigned URL is made before its body is known.
Result<std::string> s3_payload_hash(const http::Request& request, const SignatureParts& parts) {
  const std::string_view claimed = request.header("x-amz-content-sha256");
  if (!claimed.empty()) return std::string(claimed);
  if (parts.is_in_query) return std::string(kUnsignedPayload);
  return fail(incomplete("Missing required header for this request: x-amz-content-sha256"));
}

Error mismatch(std::string_view canonical, std::string_view string_to_sign) {
  std::string message =
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
      "Access "
      "Key and signing method. Consult the service documentation for details.\n\nThe Canonical String for "
      "this "
      "request should have been\n'";
  message.append(canonical)
      .append("'\n\nThe String-to-Sign should have been\n'")
      .append(string_to_sign)
      .append("'\n");
  return invalid(std::move(message), SignatureFault::Kind::Mismatch);
}

}  // namespace

bool has_signature(const http::Request& request) {
  return request.header("authorization").starts_with("AWS4-") ||
         request.query.find("X-Amz-Algorithm=") != std::string_view::npos;
}

Result<Sender> well_formed(const http::Request& request) {
  SignatureParts parts;
  TAVOLA_CHECK(parts.read(request));
  const CredentialScope scope = split_credential(parts.credential);
  return Sender{
      .access_key = std::string(scope.access_key), .region = std::string(scope.region), .key = nullptr};
}

Result<Sender> well_formed_in_time(const http::Request& request, WallTime now) {
  SignatureParts parts;
  TAVOLA_CHECK(parts.read(request));
  if (parts.is_in_query) {
    TAVOLA_CHECK(check_time(parts, std::chrono::floor<std::chrono::seconds>(now)));
    if (parts.expires.empty()) TAVOLA_CHECK(check_s3_parts(parts, request));
  }
  return well_formed(request);
}

bool PieceSignatures::matches_piece(std::string_view sha256_of_piece, std::string_view signature) {
  return matches("AWS4-HMAC-SHA256-PAYLOAD\n" + scope_.moment + "\n" + scope_.scope + "\n" + scope_.first +
                     "\n" + to_hex(sha256({})) + "\n" + to_hex(sha256_of_piece),
                 signature);
}

bool PieceSignatures::matches_trailer(std::string_view sha256_of_trailer, std::string_view signature) {
  return matches("AWS4-HMAC-SHA256-TRAILER\n" + scope_.moment + "\n" + scope_.scope + "\n" + scope_.first +
                     "\n" + to_hex(sha256_of_trailer),
                 signature);
}

bool PieceSignatures::matches(const std::string& text, std::string_view signature) {
  const std::string expected = to_hex(hmac_sha256(scope_.signing_key, text));
  scope_.first = expected;
  return same_secret(expected, signature);
}

SignatureVerifier::SignatureVerifier(Credentials credentials, std::string service)
    : credentials_(std::move(credentials)), service_(std::move(service)), is_s3_(service_ == "s3") {}

Result<PieceSignatures> SignatureVerifier::pieces_of(const http::Request& request) const {
  SignatureParts parts;
  TAVOLA_CHECK(parts.read(request));
  const CredentialScope scope = split_credential(parts.credential);
  const AccessKey* key = credentials_.find(scope.access_key);
  std::optional<Seconds> moment = parse_basic_time(parts.date);
  if (!moment) moment = parse_http_time(parts.date);
  if (key == nullptr || !moment) return fail(invalid("The request is not signed by a known key."));
  std::string scope_text(scope.date);
  scope_text.append("/").append(scope.region).append("/").append(service_).append("/").append(kTerminator);
  return PieceSignatures({.signing_key = derive_key(*key, scope.date, scope.region),
                          .moment = basic_time(*moment),
                          .scope = std::move(scope_text),
                          .first = std::string(parts.signature)});
}

Result<SignatureVerifier::Claim> SignatureVerifier::check_claim(const SignatureParts& parts,
                                                                const http::Request& request,
                                                                WallTime now) const {
  TAVOLA_TRY(const Seconds signed_at, check_time(parts, std::chrono::floor<std::chrono::seconds>(now)));
  TAVOLA_CHECK(check_signed_headers(parts, request));
  if (is_s3_) TAVOLA_CHECK(check_s3_parts(parts, request));
  TAVOLA_TRY(const CredentialScope scope, check_scope(parts, signed_at, service_));
  const AccessKey* key = credentials_.find(scope.access_key);
  if (key == nullptr) {
    return fail({ErrorCode::UnrecognizedClient, "The security token included in the request is invalid."});
  }
  return Claim{.signed_at = signed_at, .scope = scope, .key = key};
}

Result<void> SignatureVerifier::check_head(const http::Request& request, WallTime now) const {
  SignatureParts parts;
  TAVOLA_CHECK(parts.read(request));
  TAVOLA_CHECK(check_claim(parts, request, now));
  return {};
}

Result<Sender> SignatureVerifier::verify(const http::Request& request, WallTime now) {
  SignatureParts parts;
  TAVOLA_CHECK(parts.read(request));
  TAVOLA_TRY(const Claim claim, check_claim(parts, request, now));
  const auto& [signed_at, scope, key] = claim;
  TAVOLA_TRY(const std::string hash, is_s3_ ? s3_payload_hash(request, parts) : payload_hash(request));
  const std::string canonical = canonical_request(request, parts.signed_headers, hash,
                                                  is_s3_ ? PathEncoding::Once : PathEncoding::Twice);
  std::string string_to_sign(kAlgorithm);
  string_to_sign.append("\n").append(basic_time(signed_at)).append("\n");
  string_to_sign.append(scope.date).append("/").append(scope.region).append("/").append(service_);
  string_to_sign.append("/").append(kTerminator).append("\n").append(to_hex(sha256({canonical})));
  const std::string name = key->id + "/" + std::string(scope.date) + "/" + std::string(scope.region);
  std::string signing_key = remembered_key(name);
  const bool is_new = signing_key.empty();
  if (is_new) signing_key = derive_key(*key, scope.date, scope.region);
  const std::string expected = to_hex(hmac_sha256(signing_key, string_to_sign));
  if (!same_secret(expected, parts.signature)) return fail(mismatch(canonical, string_to_sign));
  // Not earlier: anybody can make up dates and regions, and must not evict the keys of others without the secret.
  if (is_new) remember_key(name, signing_key);
  return Sender{.access_key = key->id, .region = std::string(scope.region), .key = key};
}

std::string SignatureVerifier::derive_key(const AccessKey& key, std::string_view date,
                                          std::string_view region) const {
  std::string derived = hmac_sha256("AWS4" + key.secret, date);
  derived = hmac_sha256(derived, region);
  derived = hmac_sha256(derived, service_);
  return hmac_sha256(derived, kTerminator);
}

std::string SignatureVerifier::remembered_key(const std::string& name) {
  const SharedLock lock(mutex_);
  const auto found = signing_keys_.find(name);
  return found == signing_keys_.end() ? std::string() : found->second;
}

void SignatureVerifier::remember_key(const std::string& name, const std::string& key) {
  const ExclusiveLock lock(mutex_);
  if (signing_keys_.size() >= kSigningKeysMax) signing_keys_.clear();
  signing_keys_.insert_or_assign(name, key);
}

std::size_t SignatureVerifier::remembered_keys() {
  const SharedLock lock(mutex_);
  return signing_keys_.size();
}

}  // namespace tavola::access
