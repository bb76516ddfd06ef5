// AWS Signature Version 4, on the client's side.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/connect.h>
#include <tavola/time.h>

#include "base/locks.h"

namespace tavola::remote {

// A request to any service of AWS, or to a server that speaks its protocol.
struct SignedRequest {
  std::string_view method;             // "POST", "PUT", "GET", "HEAD"
  std::string url;                     // complete and encoded; query parameters in the order of their names
  std::string_view service;            // "dynamodb", "s3"
  std::vector<std::string> headers{};  // "Content-Type: application/json"; all of them are signed
  std::string_view body{};
};

// Encodes a part of a path or a query as it is signed: all but letters, digits, "-_.~" and `also_plain` become %XX.
std::string percent_encoded(std::string_view text, std::string_view also_plain);

// Thread safety: all methods, from any thread.
class Signer {
 public:
  explicit Signer(std::string region) : region_(std::move(region)) {}

  // Returns the headers of the request, and those that sign it at the time `now`.
  std::vector<std::string> signed_headers(const SignedRequest& request, const Credentials& credentials,
                                          WallTime now);

  // Returns the URL of the request with its signature in the query ("presigned"). Anybody who has it may send the request, also again, with
  // the same headers and any body, within `lifetime` from `now`. Amazon S3 allows seven days.
  std::string presigned_url(const SignedRequest& request, const Credentials& credentials, WallTime now,
                            std::chrono::seconds lifetime);

 private:
  // Deriving a key takes four HMACs, and it is valid for a day.
  struct DayKey {
    std::string scope;  // "20130609/us-east-1/dynamodb"
    std::string secret;
    std::string key;
  };
  std::string scope_of(std::string_view time, std::string_view service) const;
  // Returns the signature of a canonical request.
  std::string sign(const std::string& canonical, const std::string& time, std::string_view service,
                   const std::string& secret);
  std::string key_of(std::string_view scope, std::string_view service, const std::string& secret);

  const std::string region_;
  Mutex mutex_;
  DayKey latest_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::remote
