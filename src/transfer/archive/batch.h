// A batch: items of one entity, archived together. It is three objects of one name:
//
//   <table>/<entity>/20240101T000000Z-5f2c…        the moment of its oldest item, and a hash of what it holds
//     .jsonl.gz       the items as DynamoDB's JSON, one a line, the oldest first; gzip
//     .manifest.json  what they are, and checksums; written when the items were read back and found whole
//     .removed.json   written when they were removed from the table; until then the next run goes on removing them
//
// So a name tells the content: written again after a crash, a batch replaces itself and nothing else.
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

// An item and the moment by which it is old.
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
  std::string by{};  // the attribute with the moments
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
// Fails with Corrupt when it is none, or with NewerFormat when a newer Tavola wrote it.
Result<Manifest> read_manifest(std::string_view json);

// What stands in .removed.json.
struct Removal {
  std::uint64_t removed = 0;
  std::uint64_t gone = 0;  // had been removed before, by this or by others
  std::uint64_t kept = 0;  // had changed since they were read: they are in the table as they are now
};
std::string to_json(const Removal& removal, WallTime moment);

// A batch ready to be written.
struct Batch {
  std::string name{};  // without an ending
  Manifest manifest{};
  std::string plain{};
  std::string compressed{};
};
// `about` says what is the same for all batches of a run: design, revision, table, entity, by, archived_at.
Batch make_batch(const Manifest& about, std::vector<OldItem> items,
                 const std::vector<KeySchemaElement>& key_schema);

// The lines of a batch again; the compressed bytes must be those of the manifest, and what they hold, too. Fails with Corrupt.
Result<std::string> plain_of(const Manifest& manifest, std::string_view compressed);
// The items of such lines. Fails with Corrupt when one is none, or when they are not as many as the manifest says.
Result<std::vector<PackedItem>> items_of(const Manifest& manifest, std::string_view plain);

// The items of a batch whose manifest is not there, if they are what its name says; nothing if they are not.
std::optional<std::vector<PackedItem>> items_named(std::string_view name, std::string_view compressed);

}  // namespace tavola::transfer
