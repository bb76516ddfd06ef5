// CreateMultipartUpload, UploadPart, UploadPartCopy, CompleteMultipartUpload, AbortMultipartUpload, ListParts,
// ListMultipartUploads.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/encoding.h"
#include "objects/codec/checksums.h"
#include "objects/codec/s3_error.h"
#include "objects/codec/xml.h"
#include "objects/operations.h"
#include "objects/responses.h"
#include "objects/storage/uploads.h"

namespace tavola::objects {
namespace {

constexpr std::uint64_t kListedPartsMax = 1000;

// The upload that a request names.
struct Named {
  Bucket bucket;
  Upload upload;
};
Result<Named> named_upload(const Call& call) {
  TAVOLA_TRY(Bucket bucket, call.store.bucket(call.request.bucket));
  const std::string id(call.request.parameter("uploadId"));
  TAVOLA_TRY(Upload upload, Uploads(call.store).find(bucket, call.request.key, id));
  return Named{.bucket = std::move(bucket), .upload = std::move(upload)};
}

Result<std::uint64_t> part_number(const S3Request& request) {
  const Result<std::uint64_t> number = parse_count(request.parameter("partNumber"), "partNumber");
  if (!number || *number < 1 || *number > kPartNumberMax)
    return fail(invalid_argument("Part number must be an integer between 1 and 10000, inclusive"));
  return *number;
}

Result<std::vector<NamedPart>> read_parts(std::string_view body) {
  TAVOLA_TRY(const XmlElement root, parse_xml(body));
  if (root.name != "CompleteMultipartUpload") return fail(malformed_xml());
  std::vector<NamedPart> parts;
  for (const XmlElement& child : root.children) {
    if (child.name != "Part") continue;
    const Result<std::uint64_t> number = parse_count(trimmed(child.text_of("PartNumber")), "PartNumber");
    if (!number || *number < 1 || *number > kPartNumberMax || parts.size() == kPartNumberMax)
      return fail(malformed_xml());
    NamedPart part{.number = *number, .etag = plain_etag(child.text_of("ETag"))};
    for (const Checksum checksum :
         {Checksum::Crc32, Checksum::Crc32c, Checksum::Crc64Nvme, Checksum::Sha1, Checksum::Sha256})
      part.checksums.emplace_back(algorithm_of(checksum), child.text_of(element_of(checksum)));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return fail(malformed_xml());
  return parts;
}

// The answer to a completed upload. A client that did not get it asks again.
http::Response completed(const Call& call, const ObjectRecord& record) {
  XmlWriter xml("CompleteMultipartUploadResult");
  xml.text("Location",
           "http://" + std::string(call.request.header("host")) + std::string(call.request.http.path));
  xml.text("Bucket", call.request.bucket)
      .text("Key", call.request.key)
      .text("ETag", quoted_etag(record.etag));
  for (const auto& [algorithm, value] : record.checksums) xml.text("Checksum" + algorithm, value);
  if (!record.checksum_type.empty()) xml.text("ChecksumType", record.checksum_type);
  return xml_response(xml.finish());
}

Result<ByteRange> copied_range(const S3Request& request, std::uint64_t object_bytes) {
  const std::string_view header = request.header("x-amz-copy-source-range");
  if (header.empty()) return ByteRange{.offset = 0, .size_bytes = object_bytes};
  TAVOLA_TRY(const std::optional<ByteRange> range, parse_range(header, object_bytes));
  if (!range) {
    return fail(invalid_argument(
        "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the "
        "zero-based offsets of the first and last bytes to copy"));
  }
  return *range;
}

Result<std::string> md5_of_range(const Descriptor& file, ByteRange range) {
  const std::unique_ptr<RunningChecksum> digest = begin_md5();
  std::string piece(std::size_t{256} * 1024, '\0');
  while (range.size_bytes > 0) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), range.size_bytes)));
    if (!read_bytes(file, range.offset, piece))
      return fail(Error::corrupt("a file of an object is shorter than it was"));
    digest->add(piece);
    range.offset += piece.size();
    range.size_bytes -= piece.size();
  }
  return to_hex(digest->finish());
}

}  // namespace

Result<http::Response> create_multipart_upload(const Call& call) {
  TAVOLA_TRY(Pairs headers, kept_headers(call.request.http));
  ObjectRecord record{.key = call.request.key, .headers = std::move(headers)};
  const std::string_view algorithm = call.request.header("x-amz-checksum-algorithm");
  if (!algorithm.empty() && !checksum_of_algorithm(algorithm))
    return fail(invalid_request("Checksum algorithm provided is unsupported."));
  if (!algorithm.empty()) record.checksums = {{std::string(algorithm), ""}};
  TAVOLA_TRY(const std::string id, Uploads(call.store).create(call.request.bucket, record));
  XmlWriter xml("InitiateMultipartUploadResult");
  xml.text("Bucket", call.request.bucket).text("Key", call.request.key).text("UploadId", id);
  return xml_response(xml.finish());
}

Result<http::Response> upload_part(const Call& call) {
  TAVOLA_TRY(const Named named, named_upload(call));
  TAVOLA_TRY(const std::uint64_t number, part_number(call.request));
  TAVOLA_TRY(UploadBody::Received received, call.body->finish());
  Part part{.number = number};
  part.record.etag = to_hex(received.md5);
  part.record.checksums = std::move(received.checksums);
  TAVOLA_TRY(
      const Part stored,
      Uploads(call.store).put_part(named.bucket, named.upload, std::move(part), std::move(received.draft)));
  http::Response response;
  response.add_header("ETag", quoted_etag(stored.record.etag));
  add_checksums(response, stored.record);
  return response;
}

Result<http::Response> upload_part_copy(const Call& call) {
  TAVOLA_TRY(const Named named, named_upload(call));
  TAVOLA_TRY(const std::uint64_t number, part_number(call.request));
  TAVOLA_TRY(const FoundObject found, find_copied(call));
  TAVOLA_TRY(const ByteRange range, copied_range(call.request, found.record.facts.size_bytes));
  if (range.size_bytes > kUploadBytesMax) return fail(entity_too_large());
  TAVOLA_TRY(Draft draft, Draft::create(named.bucket));
  TAVOLA_CHECK(draft.append(found.file, range.offset, range.size_bytes));
  Part part{.number = number};
  TAVOLA_TRY(part.record.etag, md5_of_range(found.file, range));
  TAVOLA_TRY(const Part stored,
             Uploads(call.store).put_part(named.bucket, named.upload, std::move(part), std::move(draft)));
  XmlWriter xml("CopyPartResult");
  xml.text("LastModified", xml_time(stored.record.modified())).text("ETag", quoted_etag(stored.record.etag));
  return xml_response(xml.finish());
}

Result<http::Response> complete_multipart_upload(const Call& call) {
  TAVOLA_CHECK(check_claimed_hash(call.request.http));
  TAVOLA_TRY(const std::vector<NamedPart> parts, read_parts(call.request.http.body));
  const Result<Named> named = named_upload(call);
  if (!named) {
    const Result<FoundObject> found = call.store.get(call.request.bucket, call.request.key);
    const std::string_view id = call.request.parameter("uploadId");
    if (found && !id.empty() && found->record.upload == id) return completed(call, found->record);
    return fail(named.error());
  }
  TAVOLA_TRY(
      const ObjectRecord made,
      Uploads(call.store).complete(named->bucket, named->upload, parts, write_conditions(call.request.http)));
  return completed(call, made);
}

Result<http::Response> abort_multipart_upload(const Call& call) {
  TAVOLA_TRY(const Named named, named_upload(call));
  TAVOLA_CHECK(Uploads(call.store).abort(named.bucket, named.upload));
  return http::Response{.status = 204};
}

Result<http::Response> list_parts(const Call& call) {
  TAVOLA_TRY(const Named named, named_upload(call));
  TAVOLA_TRY(const std::vector<Part> parts, Uploads(call.store).parts(named.bucket, named.upload));
  std::uint64_t most = kListedPartsMax;
  std::uint64_t marker = 0;
  if (call.request.has("max-parts")) {
    TAVOLA_TRY(most, parse_count(call.request.parameter("max-parts"), "max-parts"));
    most = std::min(most, kListedPartsMax);
  }
  if (call.request.has("part-number-marker")) {
    TAVOLA_TRY(marker, parse_count(call.request.parameter("part-number-marker"), "part-number-marker"));
  }
  const auto first = std::ranges::upper_bound(parts, marker, {}, &Part::number);
  const auto left = static_cast<std::uint64_t>(parts.end() - first);
  const auto last = first + static_cast<std::ptrdiff_t>(std::min(most, left));
  XmlWriter xml("ListPartsResult");
  xml.text("Bucket", call.request.bucket).text("Key", call.request.key).text("UploadId", named.upload.id);
  xml.number("PartNumberMarker", marker).number("MaxParts", most).boolean("IsTruncated", last != parts.end());
  if (last != first) xml.number("NextPartNumberMarker", (last - 1)->number);
  for (auto part = first; part != last; ++part) {
    xml.open("Part")
        .number("PartNumber", part->number)
        .text("LastModified", xml_time(part->record.modified()));
    xml.text("ETag", quoted_etag(part->record.etag)).number("Size", part->record.facts.size_bytes);
    for (const auto& [algorithm, value] : part->record.checksums) xml.text("Checksum" + algorithm, value);
    xml.close();
  }
  return xml_response(xml.finish());
}

// All uploads of a bucket at once: there are few.
Result<http::Response> list_multipart_uploads(const Call& call) {
  TAVOLA_TRY(const Bucket bucket, call.store.bucket(call.request.bucket));
  TAVOLA_TRY(const std::vector<Upload> uploads, Uploads(call.store).list(bucket));
  const std::string_view prefix = call.request.parameter("prefix");
  XmlWriter xml("ListMultipartUploadsResult");
  xml.text("Bucket", bucket.name)
      .text("Prefix", prefix)
      .number("MaxUploads", kListedPartsMax)
      .boolean("IsTruncated", false);
  for (const Upload& upload : uploads) {
    if (!upload.record.key.starts_with(prefix)) continue;
    xml.open("Upload").text("Key", upload.record.key).text("UploadId", upload.id);
    xml.text("Initiated", xml_time(upload.record.modified())).text("StorageClass", "STANDARD").close();
  }
  return xml_response(xml.finish());
}

}  // namespace tavola::objects
