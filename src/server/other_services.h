// Requests for other services than DynamoDB. They arrive where AWS_ENDPOINT_URL sends all services here.
//
// STS answers GetCallerIdentity, which tools ask before anything else. All other requests get an error in the form of their protocol
// that names the service and says what to set.
#pragma once

#include <optional>
#include <string_view>

#include "access/identity/signature.h"
#include "base/clock.h"
#include "database/server_identity.h"
#include "http/message.h"

namespace tavola::server {

// Thread safety: all methods.
class OtherServices {
 public:
  // `verifier` is that of the signatures of STS; null: any key will do.
  OtherServices(ServerIdentity place, access::SignatureVerifier* verifier)
      : place_(std::move(place)), verifier_(verifier) {}

  // Returns the service that a request is for, as its signature says; empty if that is DynamoDB, or if it has no signature.
  static std::string_view service_of(const http::Request& request);

  http::Response answer(const http::Request& request, WallTime now) const;
  // Answers what the head alone decides: everything except the requests of STS by known keys. nullopt: the body is needed.
  std::optional<http::Response> refuse_head(const http::Request& request, WallTime now) const;

 private:
  http::Response answer_identity(const http::Request& request, WallTime now) const;

  const ServerIdentity place_;
  access::SignatureVerifier* const verifier_;
};

}  // namespace tavola::server
