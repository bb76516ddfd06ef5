// GetObject and HeadObject.
#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "objects/codec/http_time.h"
#include "objects/codec/s3_error.h"
#include "objects/operations.h"
#include "objects/responses.h"

namespace tavola::objects {
namespace {

// The bytes of an object's file, read while they are sent.
class FileSource final : public http::BodySource {
 public:
  FileSource(Descriptor file, ByteRange range) : file_(std::move(file)), range_(range) {}
  std::uint64_t size_bytes() const override { return range_.size_bytes; }
  bool read(std::span<char> into) override {
    const std::uint64_t at = position_;
    position_ += into.size();
    return read_bytes(file_, range_.offset + at, into);
  }

 private:
  Descriptor file_;
  ByteRange range_;
  std::uint64_t position_ = 0;
};

bool names_etag(std::string_view header, const ObjectRecord& record) {
  bool found = false;
  for_each_part(header, ',', [&](std::string_view one) {
    const std::string etag = plain_etag(one);
    found |= etag == "*" || etag == record.etag;
  });
  return found;
}

// RFC 9110, section 13.2.2: an ETag counts more than a time.
Result<void> check_reading(const http::Request& request, const ObjectRecord& record) {
  const WallTime modified = std::chrono::floor<std::chrono::seconds>(record.modified());
  if (const std::string_view wanted = request.header("if-match"); !wanted.empty()) {
    if (!names_etag(wanted, record)) return fail(precondition_failed());
  } else if (const auto since = parse_http_time(request.header("if-unmodified-since"));
             since && modified > *since) {
    return fail(precondition_failed());
  }
  if (const std::string_view known = request.header("if-none-match"); !known.empty()) {
    if (names_etag(known, record)) return fail(not_modified());
  } else if (const auto since = parse_http_time(request.header("if-modified-since"));
             since && modified <= *since) {
    return fail(not_modified());
  }
  return {};
}

void add_validators(http::Response& response, const ObjectRecord& record) {
  response.add_header("ETag", quoted_etag(record.etag));
  response.add_header("Last-Modified", http_time(record.modified()));
}

// Adds what is kept with the object; a parameter like response-content-type replaces a header.
void add_object_headers(http::Response& response, const S3Request& request, const ObjectRecord& record) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOverrides = {
      {{"response-content-type", "Content-Type"},
       {"response-cache-control", "Cache-Control"},
       {"response-content-disposition", "Content-Disposition"},
       {"response-content-encoding", "Content-Encoding"},
       {"response-content-language", "Content-Language"},
       {"response-expires", "Expires"}}};
  Pairs headers = record.headers;
  for (const auto& [parameter, name] : kOverrides) {
    const std::string_view value = request.parameter(parameter);
    if (value.empty()) continue;
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    headers.emplace_back(name, value);
  }
  const bool has_type =
      std::ranges::any_of(headers, [](const auto& one) { return one.first == "Content-Type"; });
  if (!has_type) headers.emplace_back("Content-Type", "binary/octet-stream");
  for (const auto& [name, value] : headers) response.add_header(name, value);
}

}  // namespace

Result<http::Response> get_object(const Call& call) {
  TAVOLA_TRY(FoundObject found, call.store.get(call.request.bucket, call.request.key));
  const ObjectRecord& record = found.record;
  http::Response response;
  add_validators(response, record);
  if (Result<void> checked = check_reading(call.request.http, record); !checked) {
    const auto* fault = checked.error().detail<S3Fault>();
    if (fault == nullptr || fault->status != 304) return fail(checked.error());
    response.status = 304;
    return response;
  }
  const std::uint64_t size = record.facts.size_bytes;
  TAVOLA_TRY(const std::optional<ByteRange> range, parse_range(call.request.header("range"), size));
  if (range) {
    response.status = 206;
    response.add_header("Content-Range", "bytes " + std::to_string(range->offset) + "-" +
                                             std::to_string(range->offset + range->size_bytes - 1) + "/" +
                                             std::to_string(size));
  }
  response.add_header("Accept-Ranges", "bytes");
  add_object_headers(response, call.request, record);
  if (!range && same_text(call.request.header("x-amz-checksum-mode"), "ENABLED"))
    add_checksums(response, record);
  response.source = std::make_shared<FileSource>(std::move(found.file),
                                                 range.value_or(ByteRange{.offset = 0, .size_bytes = size}));
  return response;
}

// The server leaves out the body of a HEAD.
Result<http::Response> head_object(const Call& call) { return get_object(call); }

}  // namespace tavola::objects
