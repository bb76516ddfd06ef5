// The parts that answers to several operations share.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

#include "http/message.h"
#include "objects/s3_request.h"
#include "objects/storage/object_store.h"

namespace tavola::objects {

http::Response xml_response(std::string document);
// "2013-06-09T10:07:59.000Z", as S3 writes times in XML.
std::string xml_time(WallTime moment);
std::string quoted_etag(std::string_view etag);
// Returns the ETag in a header without the quotes around it, and without "W/".
std::string plain_etag(std::string_view header);

// Returns the headers of a request that are kept with an object: Content-Type, Cache-Control, x-amz-meta-… Fails with
// MetadataTooLarge and InvalidArgument.
Result<Pairs> kept_headers(const http::Request& request);
void add_checksums(http::Response& response, const ObjectRecord& record);

// The error as S3 sends it. `key` and `bucket` may be empty.
http::Response error_response(const Error& error, const S3Request* request, std::string_view request_id);

}  // namespace tavola::objects
