// The pieces of a signature, found in a request's headers or in its query.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

#include "http/message.h"

namespace tavola::access {

// Views into the request, or into `decoded_`.
class SignatureParts {
 public:
  SignatureParts() = default;
  SignatureParts(const SignatureParts&) = delete;  // a copy would point into the original
  SignatureParts& operator=(const SignatureParts&) = delete;

  // Fails with MissingAuthenticationToken, IncompleteSignature, or InvalidSignature when there are two.
  Result<void> read(const http::Request& request);

  bool is_in_query = false;
  std::string_view algorithm;       // "AWS4-HMAC-SHA256"
  std::string_view credential;      // "AKID/20130609/us-east-1/dynamodb/aws4_request"
  std::string_view signed_headers;  // "host;x-amz-date"
  std::string_view signature;
  std::string_view date;     // as sent
  std::string_view expires;  // of a presigned URL: seconds

 private:
  Result<void> read_header(const http::Request& request, std::string_view authorization);
  Result<void> read_query(const http::Request& request);

  std::string decoded_;
};

// The five elements of the credential, or of its start.
struct CredentialScope {
  std::string_view access_key, date, region, service, terminator;
  std::size_t elements = 0;
};
CredentialScope split_credential(std::string_view credential);

}  // namespace tavola::access
