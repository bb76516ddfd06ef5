// A batch: items of one entity, archived together. It is three objects of one name:
//
//   <table>/<entity>/20240101T000000Z-5f2c…        the time of its oldest item, and a hash of its content
//     .jsonl.gz       the items as DynamoDB's JSON, one a line, the oldest first; gzip
//     .manifest.json  description and checksums; written after the items were read back and found complete
//     .removed.json   written after they were removed from the table; until then the next run resumes the removal
//
// The name identifies the content: written again after a crash, a batch replaces only itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/packed.h>
#include <tavola/requests.h>

#include "base/clock.h"

namespace tavola::transfer {

inline constexpr std::string_view kDataEnding = ".jsonl.gz";
inline constexpr std::string_view kManifestEnding = ".manifest.json";
inline constexpr std::string_view kRemovedEnding = ".removed.json";

// An item and the time that determines its age.
struct OldItem {
  PackedItem item;
  WallTime moment;
};

struct Checksum {
  std::uint64_t bytes = 0;
  std::string sha256{};  // hexadecimal
  friend bool operator==(const Checksum&, const Checksum&) = default;
};
Checksum checksum_of(std::string_view bytes);

struct Manifest {
  std::string design{};
  std::string revision{};
  std::string table{};
  std::string entity{};
  std::string by{};  // the attribute with the times
  std::uint64_t count = 0;
  WallTime oldest{};
  WallTime newest{};
  std::string first_key{};  // of the first item and of the last, as DynamoDB's JSON
  std::string last_key{};
  Checksum plain{};
  Checksum compressed{};
  WallTime archived_at{};
  friend bool operator==(const Manifest&, const Manifest&) = default;
};
std::string to_json(const Manifest& manifest);
// Fails with Corrupt if it is not a manifest, or with NewerFormat if a newer Tavola wrote it.
Result<Manifest> read_manifest(std::string_view json);

// The content of .removed.json.
struct Removal {
  std::uint64_t removed = 0;
  std::uint64_t gone = 0;  // already removed, by this program or by others
  std::uint64_t kept = 0;  // changed since they were read: they stay in the table
};
std::string to_json(const Removal& removal, WallTime moment);

// A batch ready to be written.
struct Batch {
  std::string name{};  // without an extension
  Manifest manifest{};
  std::string plain{};
  std::string compressed{};
};
// `about` holds the common properties of all batches of a run: design, revision, table, entity, by,
// archived_at.
Batch make_batch(const Manifest& about, std::vector<OldItem> items,
                 const std::vector<KeySchemaElement>& key_schema);

// Decompresses the lines of a batch. Fails with Corrupt unless the compressed and the plain bytes match the manifest.
Result<std::string> plain_of(const Manifest& manifest, std::string_view compressed);
// Returns the items of such lines. Fails with Corrupt if one is invalid, or if their number differs from the
// manifest's.
Result<std::vector<PackedItem>> items_of(const Manifest& manifest, std::string_view plain);

// Returns the items of a batch without a manifest, if they match its name; nullopt if not.
std::optional<std::vector<PackedItem>> items_named(std::string_view name, std::string_view compressed);

}  // namespace tavola::transfer
