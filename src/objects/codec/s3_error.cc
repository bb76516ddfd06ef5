#include "objects/codec/s3_error.h"

#include <memory>
#include <utility>

namespace tavola::objects {

Error s3_error(std::string_view code, int status, std::string message) {
  return {status == 403   ? ErrorCode::AccessDenied
          : status == 404 ? ErrorCode::ResourceNotFound
                          : ErrorCode::Validation,
          std::move(message), std::make_shared<const S3Fault>(code, status)};
}

Error access_denied(std::string message) { return s3_error("AccessDenied", 403, std::move(message)); }
Error bad_digest(std::string_view of) {
  return s3_error("BadDigest", 400,
                  "The " + std::string(of) + " you specified did not match the calculated checksum.");
}
Error bucket_exists() {
  return s3_error("BucketAlreadyOwnedByYou", 409,
                  "Your previous request to create the named bucket succeeded and you already own it.");
}
Error bucket_not_empty() {
  return s3_error("BucketNotEmpty", 409, "The bucket you tried to delete is not empty");
}
Error content_sha256_mismatch() {
  return s3_error("XAmzContentSHA256Mismatch", 400,
                  "The provided 'x-amz-content-sha256' header does not match what was computed.");
}
Error entity_too_large() {
  return s3_error("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size");
}
Error incomplete_body() {
  return s3_error("IncompleteBody", 400,
                  "You did not provide the number of bytes specified by the Content-Length HTTP header");
}
Error invalid_argument(std::string message) { return s3_error("InvalidArgument", 400, std::move(message)); }
Error invalid_bucket_name() {
  return s3_error("InvalidBucketName", 400, "The specified bucket is not valid.");
}
Error invalid_digest() {
  return s3_error("InvalidDigest", 400, "The Content-MD5 you specified was invalid.");
}
Error invalid_range() { return s3_error("InvalidRange", 416, "The requested range is not satisfiable"); }
Error invalid_request(std::string message) { return s3_error("InvalidRequest", 400, std::move(message)); }
Error invalid_uri() { return s3_error("InvalidURI", 400, "Couldn't parse the specified URI."); }
Error key_too_long() { return s3_error("KeyTooLongError", 400, "Your key is too long"); }
Error malformed_xml() {
  return s3_error(
      "MalformedXML", 400,
      "The XML you provided was not well-formed or did not validate against our published schema");
}
Error method_not_allowed() {
  return s3_error("MethodNotAllowed", 405, "The specified method is not allowed against this resource.");
}
Error missing_length() {
  return s3_error("MissingContentLength", 411, "You must provide the Content-Length HTTP header.");
}
Error no_such_bucket() { return s3_error("NoSuchBucket", 404, "The specified bucket does not exist"); }
Error no_such_key() { return s3_error("NoSuchKey", 404, "The specified key does not exist."); }
Error no_such_upload() {
  return s3_error(
      "NoSuchUpload", 404,
      "The specified upload does not exist. The upload ID may be invalid, or the upload may have been "
      "aborted or completed.");
}
Error not_implemented(std::string message) { return s3_error("NotImplemented", 501, std::move(message)); }
Error not_modified() { return s3_error("NotModified", 304, "Not Modified"); }
Error precondition_failed() {
  return s3_error("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold");
}

}  // namespace tavola::objects
