#include "objects/storage/object_record.h"

#include "base/digest.h"
#include "base/encoding.h"
#include "json/reader.h"
#include "json/writer.h"

namespace tavola::objects {
namespace {

void write_pairs(json::Writer& json, const Pairs& pairs) {
  json.begin_object();
  for (const auto& [name, value] : pairs) json.name(name).text(value);
  json.end_object();
}

Pairs pairs_at(const json::Node& node, std::string_view name) {
  Pairs pairs;
  const json::Node* found = node.find(name);
  if (found == nullptr) return pairs;
  for (const auto& [member, value] : found->members) pairs.emplace_back(member, value.text);
  return pairs;
}

}  // namespace

WallTime ObjectRecord::modified() const {
  return WallTime(std::chrono::milliseconds(facts.modified_ns / 1'000'000));
}

std::string to_json(const ObjectRecord& record) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("key").text(record.key);
  json.name("etag").text(record.etag);
  write_pairs(json.name("headers"), record.headers);
  write_pairs(json.name("checksums"), record.checksums);
  json.name("checksum_type").text(record.checksum_type);
  json.name("upload").text(record.upload);
  json.end_object();
  return out;
}

Result<ObjectRecord> parse_object_record(std::string_view text) {
  const auto node = json::parse(text);
  if (!node || !node->is_object()) return fail(Error::corrupt("the record of an object is not JSON"));
  return ObjectRecord{.key = node->text_at("key"),
                      .etag = node->text_at("etag"),
                      .headers = pairs_at(*node, "headers"),
                      .checksums = pairs_at(*node, "checksums"),
                      .checksum_type = node->text_at("checksum_type"),
                      .upload = node->text_at("upload")};
}

std::string record_path(std::string_view key, const FileFacts& facts) {
  const std::string digest = to_hex(sha256({key}));
  return digest.substr(0, 2) + "/" + digest + "-" + std::to_string(facts.modified_ns) + "-" +
         std::to_string(facts.size_bytes);
}

ObjectRecord record_of_file(std::string_view key, const FileFacts& facts) {
  // An ETag need not be the MD5 of the object; with "-1" behind it, it does not look like one either.
  const std::string identity = std::to_string(facts.modified_ns) + "-" + std::to_string(facts.size_bytes);
  return {.key = std::string(key), .etag = to_hex(md5(identity)) + "-1", .facts = facts};
}

}  // namespace tavola::objects
