// The errors of S3: their codes, their HTTP statuses and their words ("Error responses" of the S3 API reference).
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

namespace tavola::objects {

// Detail of an Error that has a code of S3. Errors without it are answered as InternalError.
struct S3Fault final : ErrorDetail {
  S3Fault(std::string_view its_code, int its_status) : code(its_code), status(its_status) {}
  std::string_view code;  // a literal
  int status;
};

Error access_denied(std::string message = "Access Denied");
Error bad_digest(std::string_view of);  // "Content-MD5", "CRC32"
Error bucket_exists();
Error bucket_not_empty();
Error content_sha256_mismatch();
Error entity_too_large();
Error incomplete_body();
Error invalid_argument(std::string message);
Error invalid_bucket_name();
Error invalid_digest();
Error invalid_range();
Error invalid_request(std::string message);
Error invalid_uri();
Error key_too_long();
Error malformed_xml();
Error method_not_allowed();
Error missing_length();
Error no_such_bucket();
Error no_such_key();
Error no_such_upload();
Error not_implemented(std::string message);
Error not_modified();
Error precondition_failed();

// Makes an error with any other code.
Error s3_error(std::string_view code, int status, std::string message);

}  // namespace tavola::objects
