#include "objects/responses.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/timestamps.h"
#include "base/utf8.h"
#include "objects/codec/checksums.h"
#include "objects/codec/s3_error.h"
#include "objects/codec/url.h"
#include "objects/codec/xml.h"

namespace tavola::objects {
namespace {

constexpr std::string_view kUserMetadata = "x-amz-meta-";
constexpr std::size_t kUserMetadataBytesMax = 2048;
constexpr std::array<std::string_view, 6> kSystemMetadata = {"Content-Type",        "Cache-Control",
                                                             "Content-Disposition", "Content-Encoding",
                                                             "Content-Language",    "Expires"};

// Content-Encoding without aws-chunked, which is how the request was sent, and no property of the object.
std::string encoding_of_object(std::string_view header) {
  std::string kept;
  for_each_part(header, ',', [&](std::string_view part) {
    const std::string_view coding = trimmed(part);
    if (coding.empty() || same_text(coding, "aws-chunked")) return;
    if (!kept.empty()) kept += ", ";
    kept += coding;
  });
  return kept;
}

// Parsers of XML refuse control characters, also as references, and with them the whole error.
std::string readable_key(const std::string& key) {
  const bool is_plain =
      std::ranges::none_of(key, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return is_plain ? key : percent_encoded(key);
}

}  // namespace

http::Response xml_response(std::string document) {
  return {.status = 200, .content_type = "application/xml", .body = std::move(document)};
}

std::string xml_time(WallTime moment) {
  std::string text = iso8601(moment, 3);
  return text;
}

std::string quoted_etag(std::string_view etag) { return "\"" + std::string(etag) + "\""; }

std::string plain_etag(std::string_view header) {
  std::string_view etag = trimmed(header);
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

Result<Pairs> kept_headers(const http::Request& request) {
  Pairs kept;
  for (const std::string_view name : kSystemMetadata) {
    const std::string_view value = request.header(name);
    std::string text = name == "Content-Encoding" ? encoding_of_object(value) : std::string(value);
    if (!text.empty()) kept.emplace_back(name, std::move(text));
  }
  std::size_t metadata_bytes = 0;
  for (const http::Header& header : request.headers) {
    std::string name = lower_case(header.name);
    if (!name.starts_with(kUserMetadata)) continue;
    metadata_bytes += name.size() - kUserMetadata.size() + header.value.size();
    kept.emplace_back(std::move(name), header.value);
  }
  if (metadata_bytes > kUserMetadataBytesMax) {
    return fail(
        s3_error("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size"));
  }
  for (const auto& [name, value] : kept)
    if (!is_utf8(value)) return fail(invalid_argument("The header " + name + " is not UTF-8"));
  return kept;
}

void add_checksums(http::Response& response, const ObjectRecord& record) {
  for (const auto& [algorithm, value] : record.checksums) {
    if (const auto checksum = checksum_of_algorithm(algorithm))
      response.add_header(header_of(*checksum), value);
  }
  if (!record.checksum_type.empty()) response.add_header("x-amz-checksum-type", record.checksum_type);
}

http::Response error_response(const Error& error, const S3Request* request, std::string_view request_id) {
  const auto* fault = error.detail<S3Fault>();
  const bool is_full = error.code() == ErrorCode::DiskFull;
  const std::string_view code = fault != nullptr ? fault->code
                                : is_full        ? "ServiceUnavailable"
                                                 : "InternalError";
  const std::string message = fault != nullptr ? error.message()
                              : is_full        ? "The disk of the server is full."
                                               : "We encountered an internal error. Please try again.";
  http::Response response{.status = fault != nullptr ? fault->status : is_full ? 507 : 500};
  if (response.status == 304) return response;
  XmlWriter xml;
  xml.open("Error").text("Code", code).text("Message", message);
  if (request != nullptr && !request->bucket.empty()) xml.text("BucketName", request->bucket);
  if (request != nullptr && !request->key.empty()) xml.text("Key", readable_key(request->key));
  if (request != nullptr) xml.text("Resource", request->http.path);
  xml.text("RequestId", request_id).text("HostId", request_id);
  response.content_type = "application/xml";
  response.body = xml.finish();
  return response;
}

}  // namespace tavola::objects
