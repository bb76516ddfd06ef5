// PutObject, CopyObject, DeleteObject, DeleteObjects.
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/utf8.h"
#include "objects/codec/checksums.h"
#include "objects/codec/http_time.h"
#include "objects/codec/s3_error.h"
#include "objects/codec/url.h"
#include "objects/codec/xml.h"
#include "objects/operations.h"
#include "objects/responses.h"
#include "objects/storage/key_path.h"

namespace tavola::objects {
namespace {

constexpr std::size_t kDeletedKeysMax = 1000;

// The MD5 of a file, in hexadecimal.
Result<std::string> md5_of(const Descriptor& file, std::uint64_t size_bytes) {
  const std::unique_ptr<RunningChecksum> digest = begin_md5();
  std::string piece(std::size_t{256} * 1024, '\0');
  for (std::uint64_t at = 0; at < size_bytes; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size_bytes - at)));
    if (!read_bytes(file, at, piece))
      return fail(Error::corrupt("a file of an object is shorter than it was"));
    digest->add(piece);
  }
  return to_hex(digest->finish());
}

Result<void> check_copied(const http::Request& request, const ObjectRecord& record) {
  const WallTime modified = std::chrono::floor<std::chrono::seconds>(record.modified());
  const std::string_view match = request.header("x-amz-copy-source-if-match");
  const std::string_view none = request.header("x-amz-copy-source-if-none-match");
  const auto since = parse_http_time(request.header("x-amz-copy-source-if-modified-since"));
  const auto until = parse_http_time(request.header("x-amz-copy-source-if-unmodified-since"));
  const bool holds = (match.empty() || plain_etag(match) == record.etag) &&
                     (none.empty() || plain_etag(none) != record.etag) && (!since || modified > *since) &&
                     (!match.empty() || !until || modified <= *until);
  if (!holds) return fail(precondition_failed());
  return {};
}

// A key of a list to delete. Only this version of it, or this ETag, is meant if they are given.
struct DeletedKey {
  std::string key;
  std::string version{};
  std::string etag{};
};

struct DeletedKeys {
  bool is_quiet = false;
  std::vector<DeletedKey> keys{};
};

Result<DeletedKeys> read_delete(std::string_view body) {
  TAVOLA_TRY(const XmlElement root, parse_xml(body));
  if (root.name != "Delete") return fail(malformed_xml());
  DeletedKeys wanted{.is_quiet = root.text_of("Quiet") == "true"};
  for (const XmlElement& child : root.children) {
    if (child.name != "Object") continue;
    const std::string_view key = child.text_of("Key");
    if (key.empty() || wanted.keys.size() == kDeletedKeysMax) return fail(malformed_xml());
    wanted.keys.push_back({.key = std::string(key),
                           .version = std::string(child.text_of("VersionId")),
                           .etag = plain_etag(child.text_of("ETag"))});
  }
  if (wanted.keys.empty()) return fail(malformed_xml());
  return wanted;
}

// The only version of an object is called "null".
Result<void> remove_one(const Call& call, const DeletedKey& one) {
  if (one.key.size() > kKeyBytesMax) return fail(key_too_long());
  if (!one.version.empty() && one.version != "null")
    return fail(s3_error("NoSuchVersion", 404, "The specified version does not exist."));
  return call.store.remove(call.request.bucket, one.key, {.if_match = one.etag});
}

// A body that the server held, like the list of keys to delete, has checksums, too.
Result<void> check_held_body(const http::Request& request) {
  TAVOLA_CHECK(check_claimed_hash(request));
  const auto digest_of = [&](std::unique_ptr<RunningChecksum> running) {
    running->add(request.payload);
    return running->finish();
  };
  if (const std::string_view text = request.header("content-md5");
      !text.empty() && text != to_base64(digest_of(begin_md5()))) {
    return fail(bad_digest("Content-MD5"));
  }
  for (const http::Header& header : request.headers) {
    const auto checksum = checksum_of_header(header.name);
    if (checksum && header.value != to_base64(digest_of(begin(*checksum))))
      return fail(bad_digest(algorithm_of(*checksum)));
  }
  return {};
}

}  // namespace

Result<CopySource> read_copy_source(const S3Request& request) {
  std::string_view text = request.header("x-amz-copy-source");
  text = text.substr(0, text.find("?versionId="));
  std::optional<std::string> path = percent_decoded(text);
  if (!path || !is_utf8(*path)) return fail(invalid_argument("Copy Source must be URL-encoded UTF-8"));
  std::string_view rest = *path;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || slash + 1 == rest.size()) {
    return fail(
        invalid_argument("Copy Source must mention the source bucket and key: sourcebucket/sourcekey"));
  }
  return CopySource{.bucket = std::string(rest.substr(0, slash)), .key = std::string(rest.substr(slash + 1))};
}

Result<FoundObject> find_copied(const Call& call) {
  TAVOLA_TRY(const CopySource source, read_copy_source(call.request));
  TAVOLA_TRY(FoundObject found, call.store.get(source.bucket, source.key));
  TAVOLA_CHECK(check_copied(call.request.http, found.record));
  return found;
}

Result<void> check_claimed_hash(const http::Request& request) {
  const std::string_view claimed = request.header("x-amz-content-sha256");
  if (claimed.empty() || claimed == "UNSIGNED-PAYLOAD") return {};
  if (lower_case(claimed) != to_hex(sha256({request.payload}))) return fail(content_sha256_mismatch());
  return {};
}

Conditions write_conditions(const http::Request& request) {
  return {.if_match = plain_etag(request.header("if-match")),
          .if_none_match = plain_etag(request.header("if-none-match"))};
}

Result<http::Response> put_object(const Call& call) {
  TAVOLA_TRY(UploadBody::Received received, call.body->finish());
  TAVOLA_TRY(Pairs headers, kept_headers(call.request.http));
  const bool has_checksum = !received.checksums.empty();
  ObjectRecord record{.key = call.request.key,
                      .etag = to_hex(received.md5),
                      .headers = std::move(headers),
                      .checksums = std::move(received.checksums),
                      .checksum_type = has_checksum ? "FULL_OBJECT" : ""};
  TAVOLA_TRY(const ObjectRecord stored, call.store.put({.bucket = call.request.bucket,
                                                        .record = std::move(record),
                                                        .draft = std::move(received.draft),
                                                        .conditions = write_conditions(call.request.http)}));
  http::Response response;
  response.add_header("ETag", quoted_etag(stored.etag));
  add_checksums(response, stored);
  return response;
}

Result<http::Response> copy_object(const Call& call) {
  TAVOLA_TRY(const FoundObject found, find_copied(call));
  if (found.record.facts.size_bytes > kUploadBytesMax) {
    return fail(
        invalid_request("The specified copy source is larger than the maximum allowable size for a copy "
                        "source: 5368709120"));
  }
  const bool replaces = same_text(call.request.header("x-amz-metadata-directive"), "REPLACE");
  TAVOLA_TRY(const CopySource source, read_copy_source(call.request));
  if (!replaces && source.bucket == call.request.bucket && source.key == call.request.key) {
    return fail(invalid_request(
        "This copy request is illegal because it is trying to copy an object to itself without changing the "
        "object's metadata, storage class, website redirect location or encryption attributes."));
  }
  Pairs headers = found.record.headers;
  if (replaces) {
    TAVOLA_TRY(headers, kept_headers(call.request.http));
  }
  TAVOLA_TRY(const Bucket to, call.store.bucket(call.request.bucket));
  TAVOLA_TRY(Draft draft, Draft::create(to));
  TAVOLA_CHECK(draft.append(found.file, 0, found.record.facts.size_bytes));
  TAVOLA_TRY(std::string etag, md5_of(found.file, found.record.facts.size_bytes));
  const bool is_whole = found.record.checksum_type == "FULL_OBJECT";
  ObjectRecord record{.key = call.request.key,
                      .etag = std::move(etag),
                      .headers = std::move(headers),
                      .checksums = is_whole ? found.record.checksums : Pairs{},
                      .checksum_type = is_whole ? found.record.checksum_type : ""};
  TAVOLA_TRY(const ObjectRecord stored, call.store.put({.bucket = call.request.bucket,
                                                        .record = std::move(record),
                                                        .draft = std::move(draft),
                                                        .conditions = write_conditions(call.request.http),
                                                        .event = "ObjectCreated:Copy"}));
  XmlWriter xml("CopyObjectResult");
  xml.text("LastModified", xml_time(stored.modified())).text("ETag", quoted_etag(stored.etag));
  return xml_response(xml.finish());
}

Result<http::Response> delete_object(const Call& call) {
  TAVOLA_CHECK(call.store.remove(call.request.bucket, call.request.key, write_conditions(call.request.http)));
  return http::Response{.status = 204};
}

Result<http::Response> delete_objects(const Call& call) {
  TAVOLA_CHECK(check_held_body(call.request.http));
  TAVOLA_TRY(const DeletedKeys wanted, read_delete(call.request.http.body));
  TAVOLA_CHECK(call.store.bucket(call.request.bucket));
  XmlWriter xml("DeleteResult");
  for (const DeletedKey& one : wanted.keys) {
    const Result<void> removed = remove_one(call, one);
    if (removed && wanted.is_quiet) continue;
    xml.open(removed ? "Deleted" : "Error").text("Key", one.key);
    if (!removed) {
      const auto* fault = removed.error().detail<S3Fault>();
      xml.text("Code", fault == nullptr ? "InternalError" : fault->code);
      xml.text("Message", fault == nullptr ? "We encountered an internal error. Please try again."
                                           : removed.error().message());
    }
    xml.close();
  }
  return xml_response(xml.finish());
}

}  // namespace tavola::objects
