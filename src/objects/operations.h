// The operations of S3, each as "Amazon S3 API Reference" describes it. A function answers one request; its errors are those of
// codec/s3_error.h.
#pragma once

#include <tavola/error.h>

#include "http/message.h"
#include "objects/s3_request.h"
#include "objects/storage/object_store.h"
#include "objects/upload_body.h"

namespace tavola::objects {

struct Call {
  ObjectStore& store;
  const S3Request& request;
  UploadBody* body = nullptr;  // of a request that uploads_body()
  std::string_view region;
};

// The object that a request copies.
struct CopySource {
  std::string bucket;
  std::string key;
};
Result<CopySource> read_copy_source(const S3Request& request);
// Fails with NoSuchKey, and with PreconditionFailed by the headers x-amz-copy-source-if-…
Result<FoundObject> find_copied(const Call& call);
// Compares the hash that x-amz-content-sha256 claims with the body that the server held: a signature covers the body by this hash alone.
Result<void> check_claimed_hash(const http::Request& request);
// If-Match and If-None-Match of a write.
Conditions write_conditions(const http::Request& request);

using Operation = Result<http::Response> (*)(const Call&);

Result<http::Response> list_buckets(const Call& call);
Result<http::Response> create_bucket(const Call& call);
Result<http::Response> head_bucket(const Call& call);
Result<http::Response> delete_bucket(const Call& call);
Result<http::Response> get_bucket_location(const Call& call);
Result<http::Response> get_bucket_versioning(const Call& call);
Result<http::Response> list_objects(const Call& call);
Result<http::Response> list_objects_v2(const Call& call);
Result<http::Response> delete_objects(const Call& call);

Result<http::Response> get_object(const Call& call);
Result<http::Response> head_object(const Call& call);
Result<http::Response> put_object(const Call& call);
Result<http::Response> copy_object(const Call& call);
Result<http::Response> delete_object(const Call& call);

Result<http::Response> create_multipart_upload(const Call& call);
Result<http::Response> upload_part(const Call& call);
Result<http::Response> upload_part_copy(const Call& call);
Result<http::Response> complete_multipart_upload(const Call& call);
Result<http::Response> abort_multipart_upload(const Call& call);
Result<http::Response> list_parts(const Call& call);
Result<http::Response> list_multipart_uploads(const Call& call);

}  // namespace tavola::objects
