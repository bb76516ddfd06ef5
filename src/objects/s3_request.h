// A request of S3's protocol: which bucket, which key, which parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "http/message.h"
#include "objects/storage/object_record.h"

namespace tavola::objects {

// Borrows the HTTP request.
struct S3Request {
  // The bucket is the first part of the path, or the name before ".localhost" in the name of the server
  // ("photos.localhost:8002"). Fails with InvalidURI, KeyTooLongError.
  static Result<S3Request> read(const http::Request& request);

  const http::Request& http;
  std::string bucket{};  // empty: the request is about all buckets
  std::string key{};     // empty: it is about the bucket
  Pairs parameters{};    // decoded

  bool has(std::string_view name) const;
  // Returns the first of a name; empty if missing.
  std::string_view parameter(std::string_view name) const;
  std::string_view header(std::string_view name) const { return http.header(name); }
};

// Returns whether the body of a request is that of an object or a part, which is stored as it arrives.
bool uploads_body(const S3Request& request);

// "bytes=0-99" of an object: the first byte, and how many. Returns nullopt if the header names no single range of bytes,
// and is ignored; fails with InvalidRange.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};
Result<std::optional<ByteRange>> parse_range(std::string_view header, std::uint64_t object_bytes);

// Parses a decimal number. Fails with InvalidArgument, naming what it is.
Result<std::uint64_t> parse_count(std::string_view text, std::string_view what);

}  // namespace tavola::objects
