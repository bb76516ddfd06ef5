// The record of an object: its ETag, its metadata, its checksums.
//
// It lies in a file of its own as JSON, whose name is made of the key and of the facts of the object's file. So replacing the
// object's file is the one step that makes a new object: its record is there before, and that of the old object no longer
// fits. An object whose file was written by somebody else (an export, a person) has no record, and gets an ETag from its facts.
//
//   {"key":"a/b.txt","etag":"…","headers":{"Content-Type":"text/plain","x-amz-meta-owner":"anna"},
//    "checksums":{"CRC32":"…"},"checksum_type":"FULL_OBJECT","upload":"…"}
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

#include "base/clock.h"
#include "objects/storage/folder.h"

namespace tavola::objects {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct ObjectRecord {
  std::string key{};
  std::string etag{};           // without quotes
  Pairs headers{};              // that GetObject returns: Content-Type, x-amz-meta-…
  Pairs checksums{};            // by algorithm, in base64
  std::string checksum_type{};  // "FULL_OBJECT" or "COMPOSITE"; empty without a checksum
  std::string upload{};         // the multipart upload that made it; empty: none did
  FileFacts facts{};            // not part of the JSON

  WallTime modified() const;
};

std::string to_json(const ObjectRecord& record);
// Fails with Corrupt.
Result<ObjectRecord> parse_object_record(std::string_view text);

// The name of the record's file, in a folder of two digits: "a3/a3f1…-1718000000000000000-42".
std::string record_path(std::string_view key, const FileFacts& facts);

// The record of a file without one.
ObjectRecord record_of_file(std::string_view key, const FileFacts& facts);

}  // namespace tavola::objects
