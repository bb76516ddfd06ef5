// Verifies AWS Signature Version 4 on the server's side: who signed a request?
//
// Both forms are supported: the Authorization header, and the query parameters of a presigned URL. Errors are AWS's
// exceptions, in AWS's words and in AWS's order (dynalite's notes of DynamoDB's answers are the source;
// signature_test.cc pins them).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>

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

// Returns whether a request says that it is signed, rightly or not.
bool has_signature(const http::Request& request);

// Accepts any signature that has all its parts, with any key, as DynamoDB Local does.
// Fails with MissingAuthenticationToken, IncompleteSignature or InvalidSignature.
Result<Sender> well_formed(const http::Request& request);

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

  // Deriving a signing key takes four HMACs, and it is valid for a day.
  SharedMutex mutex_;
  std::unordered_map<std::string, std::string> signing_keys_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::access
