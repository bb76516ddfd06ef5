// Answers the requests of S3's protocol: who sent one, which operation it is, and its answer or error.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "access/identity/signature.h"
#include "base/clock.h"
#include "http/message.h"
#include "http/options.h"
#include "http/request_id.h"
#include "objects/operations.h"
#include "objects/storage/object_store.h"

namespace tavola::objects {

// Thread safety: all methods.
class ObjectService {
 public:
  struct Parts {
    ObjectStore& store;
    const Clock& clock;
    access::SignatureVerifier* verifier = nullptr;  // for "s3"; null: any well-formed signature will do
    std::string region = "local";
    std::function<void(std::string_view what, std::string_view why)> on_failure{};  // of the server itself
  };
  explicit ObjectService(Parts parts) : parts_(std::move(parts)) {}

  // Makes a server one that uses this service, which must outlive it: streamed bodies, errors in XML, names of buckets in
  // the name of the server.
  void configure(http::ServerOptions& server);

  void handle(const http::Request& request, http::Reply reply);

 private:
  std::unique_ptr<http::BodySink> receive(const http::Request& request) const;
  std::optional<http::Response> refuse_head(const http::Request& request) const;
  http::Response refuse(const http::Refusal& refusal) const;
  // Fails unless the sender may send this request.
  Result<void> authorize(const http::Request& request) const;
  Result<http::Response> answer(const S3Request& request) const;
  static http::Response finished(http::Response response, std::string_view id);

  Parts parts_;
  mutable http::RequestIds request_ids_;
};

}  // namespace tavola::objects
