#include "objects/object_service.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "objects/codec/s3_error.h"
#include "objects/responses.h"

namespace tavola::objects {
namespace {

// The largest body that is held in memory: a list of 1,000 keys or 10,000 parts.
constexpr std::size_t kHeldBytesMax = std::size_t{8} << 20U;

enum class Level : std::uint8_t { Service, Bucket, Object };

struct Route {
  std::string_view method;
  Level level;
  std::string_view parameter;  // that the request has; empty: any request
  std::string_view header;     // the same
  Operation operation;
};

// The first that fits. Routes with a parameter come first.
constexpr std::array kRoutes = std::to_array<Route>({
    {"GET", Level::Service, "", "", list_buckets},
    {"GET", Level::Bucket, "location", "", get_bucket_location},
    {"GET", Level::Bucket, "versioning", "", get_bucket_versioning},
    {"GET", Level::Bucket, "uploads", "", list_multipart_uploads},
    {"GET", Level::Bucket, "list-type", "", list_objects_v2},
    {"GET", Level::Bucket, "", "", list_objects},
    {"HEAD", Level::Bucket, "", "", head_bucket},
    {"PUT", Level::Bucket, "", "", create_bucket},
    {"DELETE", Level::Bucket, "", "", delete_bucket},
    {"POST", Level::Bucket, "delete", "", delete_objects},
    {"GET", Level::Object, "uploadId", "", list_parts},
    {"PUT", Level::Object, "uploadId", "x-amz-copy-source", upload_part_copy},
    {"PUT", Level::Object, "uploadId", "", upload_part},
    {"POST", Level::Object, "uploads", "", create_multipart_upload},
    {"POST", Level::Object, "uploadId", "", complete_multipart_upload},
    {"DELETE", Level::Object, "uploadId", "", abort_multipart_upload},
    {"GET", Level::Object, "", "", get_object},
    {"HEAD", Level::Object, "", "", head_object},
    {"PUT", Level::Object, "", "x-amz-copy-source", copy_object},
    {"PUT", Level::Object, "", "", put_object},
    {"DELETE", Level::Object, "", "", delete_object},
});

// Parts of S3 that do not exist here. Without this list a request to set the tags of an object would replace its bytes.
constexpr std::array kMissing = std::to_array<std::string_view>({"accelerate",
                                                                 "acl",
                                                                 "analytics",
                                                                 "attributes",
                                                                 "cors",
                                                                 "encryption",
                                                                 "intelligent-tiering",
                                                                 "inventory",
                                                                 "legal-hold",
                                                                 "lifecycle",
                                                                 "logging",
                                                                 "metadataTable",
                                                                 "metrics",
                                                                 "notification",
                                                                 "object-lock",
                                                                 "ownershipControls",
                                                                 "policy",
                                                                 "policyStatus",
                                                                 "publicAccessBlock",
                                                                 "renameObject",
                                                                 "replication",
                                                                 "requestPayment",
                                                                 "restore",
                                                                 "retention",
                                                                 "select",
                                                                 "session",
                                                                 "tagging",
                                                                 "torrent",
                                                                 "versionId",
                                                                 "versions",
                                                                 "website"});

// Headers of such parts. Without this list an append would replace the object, a deletion on condition would be made without it, and an
// object would have neither the encryption nor the protection that its writer counts on.
constexpr std::array kMissingHeaders = std::to_array<std::string_view>(
    {"x-amz-if-match-last-modified-time", "x-amz-if-match-size", "x-amz-object-lock-legal-hold",
     "x-amz-object-lock-mode", "x-amz-server-side-encryption-customer-algorithm",
     "x-amz-write-offset-bytes"});

Result<Operation> operation_of(const S3Request& request) {
  const Level level = request.bucket.empty() ? Level::Service
                      : request.key.empty()  ? Level::Bucket
                                             : Level::Object;
  const auto missing = [](std::string_view name) {
    return fail(not_implemented("A header you provided implies functionality that is not implemented: " +
                                std::string(name)));
  };
  for (const std::string_view name : kMissing)
    if (request.has(name)) return missing(name);
  for (const std::string_view name : kMissingHeaders)
    if (!request.header(name).empty()) return missing(name);
  for (const Route& route : kRoutes) {
    if (route.level == level && route.method == request.http.method &&
        (route.parameter.empty() || request.has(route.parameter)) &&
        (route.header.empty() || !request.header(route.header).empty())) {
      return route.operation;
    }
  }
  return fail(method_not_allowed());
}

bool only_reads(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS";
}

// Returns whether a request is signed by version 2, as SDKs still presign URLs for some regions unless told otherwise.
bool is_older_signature(const http::Request& request) {
  return request.header("authorization").starts_with("AWS ") || request.query.contains("AWSAccessKeyId=");
}

// The error of a signature in the words of S3.
Error signature_error(const Error& error, const http::Request& request) {
  using Kind = access::SignatureFault::Kind;
  const auto* fault = error.detail<access::SignatureFault>();
  const bool is_url = request.header("authorization").empty();
  if (fault != nullptr && fault->kind == Kind::UrlExpired) return access_denied("Request has expired");
  if (fault != nullptr && fault->kind == Kind::UnsignedHeader) return access_denied(error.message());
  if (fault != nullptr && fault->kind == Kind::Clock) {
    return s3_error("RequestTimeTooSkewed", 403,
                    "The difference between the request time and the current time is too large.");
  }
  if (fault != nullptr) return s3_error("SignatureDoesNotMatch", 403, error.message());
  switch (error.code()) {
    case ErrorCode::MissingAuthenticationToken:
      if (is_older_signature(request)) {
        return invalid_request(
            "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.");
      }
      return access_denied();
    case ErrorCode::UnrecognizedClient:
      return s3_error("InvalidAccessKeyId", 403,
                      "The AWS Access Key Id you provided does not exist in our records.");
    default:
      return s3_error(is_url ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed", 400,
                      error.message());
  }
}

// The signature covers the hash of the body that the client sent as a header. This compares it for bodies that are held
// in memory, UploadBody for the others.
Result<void> check_payload(const http::Request& request) {
  const std::string_view claimed = request.header("x-amz-content-sha256");
  if (request.sink != nullptr || request.payload.empty() || claimed.empty() || claimed == "UNSIGNED-PAYLOAD")
    return {};
  if (lower_case(claimed) == to_hex(sha256({request.payload}))) return {};
  return fail(s3_error("XAmzContentSHA256Mismatch", 400,
                       "The provided 'x-amz-content-sha256' header does not match what was computed."));
}

}  // namespace

void ObjectService::configure(http::ServerOptions& server) {
  server.web.allowed_hosts.emplace_back(".localhost");
  server.web.exposed_headers = "*";
  server.limits.body_bytes = kHeldBytesMax;
  // Every request reads or writes files.
  server.may_take_long = [](const http::Request&) { return true; };
  server.refuse = [this](const http::Refusal& refusal) { return refuse(refusal); };
  server.refuse_head = [this](const http::Request& request) { return refuse_head(request); };
  server.receive_body = [this](const http::Request& request) { return receive(request); };
}

Result<void> ObjectService::authorize(const http::Request& request) const {
  const WallTime now = parts_.clock.now();
  Result<access::Sender> sender = parts_.verifier == nullptr ? access::well_formed_in_time(request, now)
                                                             : parts_.verifier->verify(request, now);
  if (!sender) return fail(signature_error(sender.error(), request));
  if (sender->key == nullptr) return {};
  // Limits to tables, and roles of persons, say nothing of buckets.
  const bool is_limited = !sender->key->tables.empty() || sender->key->stands_for_somebody();
  if (is_limited || (sender->key->read_only && !only_reads(request))) return fail(access_denied());
  return {};
}

std::unique_ptr<http::BodySink> ObjectService::receive(const http::Request& request) const {
  const Result<S3Request> read = S3Request::read(request);
  if (!read || !uploads_body(*read) || !operation_of(*read)) return nullptr;
  Result<Draft> draft = [&]() -> Result<Draft> {
    TAVOLA_TRY(const Bucket bucket, parts_.store.bucket(read->bucket));
    return Draft::create(bucket);
  }();
  std::optional<access::PieceSignatures> pieces;
  if (parts_.verifier != nullptr) {
    if (auto found = parts_.verifier->pieces_of(request)) pieces.emplace(*std::move(found));
  }
  return std::make_unique<UploadBody>(request, std::move(draft), std::move(pieces));
}

std::optional<http::Response> ObjectService::refuse_head(const http::Request& request) const {
  if (request.method == "OPTIONS") return std::nullopt;  // a browser asks before it sends the request itself
  const Result<void> may = authorize(request);
  if (may) return std::nullopt;
  const Result<S3Request> read = S3Request::read(request);
  const std::string id = request_ids_.next();
  return finished(error_response(may.error(), read ? &*read : nullptr, id), id);
}

http::Response ObjectService::refuse(const http::Refusal& refusal) const {
  const std::string_view code = refusal.status == 403   ? "AccessDenied"
                                : refusal.status == 413 ? "EntityTooLarge"
                                : refusal.status == 408 ? "RequestTimeout"
                                : refusal.status == 503 ? "SlowDown"
                                : refusal.status >= 500 ? "InternalError"
                                                        : "BadRequest";
  const std::string id = request_ids_.next();
  return error_response(s3_error(code, refusal.status, std::string(refusal.message)), nullptr, id);
}

Result<http::Response> ObjectService::answer(const S3Request& request) const {
  TAVOLA_CHECK(check_payload(request.http));
  TAVOLA_TRY(const Operation operation, operation_of(request));
  auto* body = dynamic_cast<UploadBody*>(request.http.sink);
  return operation({.store = parts_.store, .request = request, .body = body, .region = parts_.region});
}

http::Response ObjectService::finished(http::Response response, std::string_view id) {
  response.add_header("x-amz-request-id", id);
  response.add_header("x-amz-id-2", id);
  return response;
}

void ObjectService::handle(const http::Request& request, http::Reply reply) {
  const std::string id = request_ids_.next();
  Result<S3Request> read = S3Request::read(request);
  if (!read) return reply(finished(error_response(read.error(), nullptr, id), id));
  if (const Result<void> may = authorize(request); !may)
    return reply(finished(error_response(may.error(), &*read, id), id));
  Result<http::Response> response = answer(*read);
  if (response) return reply(finished(*std::move(response), id));
  const Error& error = response.error();
  if (error.detail<S3Fault>() == nullptr && parts_.on_failure)
    parts_.on_failure(request.path, error.message());
  reply(finished(error_response(error, &*read, id), id));
}

}  // namespace tavola::objects
