// Operations on buckets: ListBuckets, ListObjects and the like.
#include <algorithm>

#include "base/encoding.h"
#include "objects/codec/s3_error.h"
#include "objects/codec/url.h"
#include "objects/codec/xml.h"
#include "objects/operations.h"
#include "objects/responses.h"

namespace tavola::objects {
namespace {

constexpr std::uint64_t kListedKeysMax = 1000;
// Buckets have one owner, whose name SDKs want to read.
constexpr std::string_view kOwner = "tavola";

// The parameters that all lists of keys have.
struct Listing {
  ListQuery query{};
  std::uint64_t keys_max = kListedKeysMax;  // as asked
  bool is_encoded = false;

  std::string shown(std::string_view key) const {
    return is_encoded ? percent_encoded(key) : std::string(key);
  }
};

Result<Listing> read_listing(const S3Request& request) {
  Listing listing;
  listing.query.prefix = request.parameter("prefix");
  listing.query.delimiter = request.parameter("delimiter");
  if (request.has("max-keys")) {
    TAVOLA_TRY(listing.keys_max, parse_count(request.parameter("max-keys"), "max-keys"));
  }
  listing.query.entries_max = static_cast<std::size_t>(std::min(listing.keys_max, kListedKeysMax));
  const std::string_view encoding = request.parameter("encoding-type");
  listing.is_encoded = encoding == "url";
  if (!encoding.empty() && !listing.is_encoded)
    return fail(invalid_argument("Invalid Encoding Method specified in Request"));
  return listing;
}

void write_entries(XmlWriter& xml, const ListPage& page, const Listing& listing) {
  for (const ListPage::Entry& entry : page.entries) {
    if (entry.is_group) continue;
    xml.open("Contents").text("Key", listing.shown(entry.key));
    xml.text("LastModified", xml_time(entry.record.modified()));
    xml.text("ETag", quoted_etag(entry.record.etag));
    for (const auto& [algorithm, value] : entry.record.checksums) xml.text("ChecksumAlgorithm", algorithm);
    xml.number("Size", entry.record.facts.size_bytes);
    xml.text("StorageClass", "STANDARD").close();
  }
  for (const ListPage::Entry& entry : page.entries) {
    if (entry.is_group) xml.open("CommonPrefixes").text("Prefix", listing.shown(entry.key)).close();
  }
}

void write_listing(XmlWriter& xml, const S3Request& request, const Listing& listing) {
  xml.text("Name", request.bucket).text("Prefix", listing.shown(listing.query.prefix));
  xml.number("MaxKeys", listing.keys_max);
  if (!listing.query.delimiter.empty()) xml.text("Delimiter", listing.shown(listing.query.delimiter));
  if (listing.is_encoded) xml.text("EncodingType", "url");
}

// A token says behind what the next page begins: "k" and a key, or "g" and the beginning of a group.
std::string token_of(const ListPage::Entry& last) {
  return to_base64url((last.is_group ? "g" : "k") + last.key);
}

Result<void> continue_behind(ListQuery& query, std::string_view token) {
  const std::optional<std::string> text = from_base64url(token);
  if (!text || text->empty() || (text->front() != 'k' && text->front() != 'g'))
    return fail(invalid_argument("The continuation token provided is incorrect"));
  query.after = text->substr(1);
  query.skips_group_of_after = text->front() == 'g';
  return {};
}

}  // namespace

Result<http::Response> list_buckets(const Call& call) {
  TAVOLA_TRY(const std::vector<BucketSummary> buckets, call.store.buckets());
  XmlWriter xml("ListAllMyBucketsResult");
  xml.open("Owner").text("ID", kOwner).text("DisplayName", kOwner).close().open("Buckets");
  for (const BucketSummary& bucket : buckets)
    xml.open("Bucket").text("Name", bucket.name).text("CreationDate", xml_time(bucket.created)).close();
  return xml_response(xml.finish());
}

Result<http::Response> create_bucket(const Call& call) {
  TAVOLA_CHECK(call.store.create_bucket(call.request.bucket));
  http::Response response;
  response.add_header("Location", "/" + call.request.bucket);
  return response;
}

Result<http::Response> head_bucket(const Call& call) {
  TAVOLA_CHECK(call.store.bucket(call.request.bucket));
  http::Response response;
  response.add_header("x-amz-bucket-region", call.region);
  return response;
}

Result<http::Response> delete_bucket(const Call& call) {
  TAVOLA_CHECK(call.store.delete_bucket(call.request.bucket));
  return http::Response{.status = 204};
}

Result<http::Response> get_bucket_location(const Call& call) {
  TAVOLA_CHECK(call.store.bucket(call.request.bucket));
  // The root element has the text itself; it is empty for us-east-1.
  std::string document =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<LocationConstraint "
      "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  if (call.region != "us-east-1") document += call.region;
  return xml_response(document + "</LocationConstraint>");
}

// Objects have no versions.
Result<http::Response> get_bucket_versioning(const Call& call) {
  TAVOLA_CHECK(call.store.bucket(call.request.bucket));
  return xml_response(XmlWriter("VersioningConfiguration").finish());
}

Result<http::Response> list_objects(const Call& call) {
  const S3Request& request = call.request;
  TAVOLA_TRY(Listing listing, read_listing(request));
  const std::string marker(request.parameter("marker"));
  listing.query.after = marker;
  // A marker that is the beginning of a group, as NextMarker may be, stands for all of the group.
  // One that is no more than the prefix is a key like any other.
  const std::string& delimiter = listing.query.delimiter;
  listing.query.skips_group_of_after =
      !delimiter.empty() && marker.ends_with(delimiter) && marker.size() > listing.query.prefix.size();
  TAVOLA_TRY(const ListPage page, call.store.list(request.bucket, listing.query));
  XmlWriter xml("ListBucketResult");
  write_listing(xml, request, listing);
  xml.text("Marker", listing.shown(marker)).boolean("IsTruncated", page.is_truncated);
  if (page.is_truncated && !delimiter.empty()) xml.text("NextMarker", listing.shown(page.entries.back().key));
  write_entries(xml, page, listing);
  return xml_response(xml.finish());
}

Result<http::Response> list_objects_v2(const Call& call) {
  const S3Request& request = call.request;
  TAVOLA_TRY(Listing listing, read_listing(request));
  const std::string_view token = request.parameter("continuation-token");
  listing.query.after = request.parameter("start-after");
  if (!token.empty()) TAVOLA_CHECK(continue_behind(listing.query, token));
  TAVOLA_TRY(const ListPage page, call.store.list(request.bucket, listing.query));
  XmlWriter xml("ListBucketResult");
  write_listing(xml, request, listing);
  xml.number("KeyCount", page.entries.size()).boolean("IsTruncated", page.is_truncated);
  if (!token.empty()) xml.text("ContinuationToken", token);
  if (page.is_truncated) xml.text("NextContinuationToken", token_of(page.entries.back()));
  if (request.has("start-after")) xml.text("StartAfter", listing.shown(request.parameter("start-after")));
  write_entries(xml, page, listing);
  return xml_response(xml.finish());
}

}  // namespace tavola::objects
