// Verifies AWS Signature Version 4 on the server's side: who signed a request?
//
// Both forms are supported: the Authorization header, and the query parameters of a presigned URL. Errors are AWS's
// exceptions, in AWS's words and in AWS's order (dynalite's notes of DynamoDB's answers are the source;
// signature_test.cc pins them).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <tavola/error.h>

#include "access/identity/credentials.h"
#include "access/identity/signature_parts.h"
#include "base/clock.h"
#include "base/locks.h"
#include "http/message.h"

namespace tavola::access {

// The sender of a request.
struct Sender {
  std::string access_key;
  std::string region;  // that the signature was made for
  const AccessKey* key =
      nullptr;  // owned by the verifier; null if nothing is verified: everything is allowed

  bool may_write() const { return key == nullptr || !key->read_only; }
  bool may_use(std::string_view table) const { return key == nullptr || key->may_use(table); }
};

// Detail of errors of a signature, for a protocol that has words of its own for them.
struct SignatureFault final : ErrorDetail {
  enum class Kind : std::uint8_t { Clock, UrlExpired, Mismatch, UnsignedHeader };
  explicit SignatureFault(Kind what) : kind(what) {}
  Kind kind;
};

// Returns whether a request says that it is signed, rightly or not.
bool has_signature(const http::Request& request);

// Accepts any signature that has all its parts, with any key, as DynamoDB Local does.
// Fails with MissingAuthenticationToken, IncompleteSignature or InvalidSignature.
Result<Sender> well_formed(const http::Request& request);

// Like well_formed(), but a presigned URL must name its lifetime, and must not have expired.
Result<Sender> well_formed_in_time(const http::Request& request, WallTime now);

// Verifies the pieces of a body that is signed piece by piece, each signature with the one before (Amazon S3's
// STREAMING-AWS4-HMAC-SHA256-PAYLOAD). Thread safety: one thread at a time.
class PieceSignatures {
 public:
  struct Scope {
    std::string signing_key;
    std::string moment;  // "20130609T100759Z"
    std::string scope;   // "20130609/us-east-1/s3/aws4_request"
    std::string first;   // the signature of the request
  };
  explicit PieceSignatures(Scope scope) : scope_(std::move(scope)) {}

  // Returns whether this is the signature of the next piece, given the SHA-256 of the piece.
  bool matches_piece(std::string_view sha256_of_piece, std::string_view signature);
  // Returns whether this is the signature of the headers behind the last piece.
  bool matches_trailer(std::string_view sha256_of_trailer, std::string_view signature);

 private:
  bool matches(const std::string& text, std::string_view signature);
  Scope scope_;
};

// Amazon S3 ("s3") differs from other services: paths are encoded once, all headers x-amz-* must be signed, a presigned
// URL names its lifetime, and the hash of the body is the one that the client claims: the reader of the body compares it.
//
// Thread safety: verify() from any thread.
class SignatureVerifier {
 public:
  explicit SignatureVerifier(Credentials credentials, std::string service = "dynamodb");

  // Fails with MissingAuthenticationToken, IncompleteSignature, UnrecognizedClient (nobody has this key) or
  // InvalidSignature (wrong, expired, not yet current, for another service).
  Result<Sender> verify(const http::Request& request, WallTime now);
  // Checks what the head alone tells: the form of the signature, its time, its scope, and that somebody has this key. Fails as
  // verify() does. The signature itself covers the body.
  Result<void> check_head(const http::Request& request, WallTime now) const;

  // Returns what verifies the pieces of a request's body, once the request itself was verified.
  Result<PieceSignatures> pieces_of(const http::Request& request) const;

  const Credentials& credentials() const { return credentials_; }
  std::size_t remembered_keys();  // signing keys held in memory

 private:
  // The claims of a signature, before it is compared.
  struct Claim {
    std::chrono::sys_seconds signed_at;
    CredentialScope scope;
    const AccessKey* key;
  };
  Result<Claim> check_claim(const SignatureParts& parts, const http::Request& request, WallTime now) const;
  std::string derive_key(const AccessKey& key, std::string_view date, std::string_view region) const;
  std::string remembered_key(const std::string& name);  // empty: none
  void remember_key(const std::string& name, const std::string& key);

  Credentials credentials_;
  std::string service_;
  bool is_s3_;

  // Deriving a signing key takes four HMACs, and it is valid for a day.
  SharedMutex mutex_;
  std::unordered_map<std::string, std::string> signing_keys_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::access
