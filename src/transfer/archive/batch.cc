#include "transfer/archive/batch.h"

#include <algorithm>

#include "base/assert.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/timestamps.h"
#include "database/item_key.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/compression.h"
#include "transfer/formats/item_reader.h"
#include "transfer/walk/state_file.h"
#include "wire/codec/attribute_values.h"

namespace tavola::transfer {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kHashCharacters = 24;
// Far more than a batch has: its items are at most 400 KB each, and it is closed when it has 4 MB.
constexpr std::size_t kPlainBytesMax = std::size_t{64} << 20U;
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;

std::string line_of(const PackedItem& item) {
  std::string line;
  wire::append_item(line, item.view());
  return line;
}

// Returns 2024-01-31T12:00:00Z without separators, as part of file names.
std::string compact(WallTime moment) {
  std::string text = iso8601(moment);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

void write(json::Writer& json, std::string_view name, const Checksum& checksum) {
  json.name(name).begin_object();
  json.name("bytes").integer(static_cast<std::int64_t>(checksum.bytes));
  json.name("sha256").text(checksum.sha256);
  json.end_object();
}

void write(json::Writer& json, std::string_view name, WallTime moment, const std::string& key) {
  json.name(name).begin_object();
  json.name("moment").text(iso8601(moment));
  json.name("key").raw() += key;
  json.end_object();
}

// Reads the members of a manifest, none of which may be missing.
class ManifestReader {
 public:
  explicit ManifestReader(wire::Fields in) : in_(std::move(in)) {}

  std::string text(std::string_view name) const {
    return in_.text(name, wire::Presence::Required).value_or(std::string());
  }
  std::uint64_t count(std::string_view name) const {
    return static_cast<std::uint64_t>(
        in_.integer(name, wire::kLong, {.least = 0}, wire::Presence::Required).value_or(0));
  }
  WallTime moment(std::string_view name) const {
    const std::optional<WallTime> moment = parse_iso8601(text(name));
    if (!moment) in_.problems().bad_value(Error::corrupt(std::string(name) + " is not a time"));
    return moment.value_or(WallTime());
  }
  std::string key() const {
    const auto value = in_.structure("key", "key", wire::Presence::Required);
    return value ? in_.find("key")->to_text() : std::string();
  }
  // The members of an object inside this one; nothing is read if it is missing.
  template <class Read>
  void inside(std::string_view name, Read read) const {
    if (const auto value = in_.structure(name, name, wire::Presence::Required)) read(ManifestReader(*value));
  }
  Checksum checksum(std::string_view name) const {
    Checksum checksum;
    inside(name, [&](const ManifestReader& inner) {
      checksum = {.bytes = inner.count("bytes"), .sha256 = inner.text("sha256")};
    });
    return checksum;
  }

 private:
  wire::Fields in_;
};

Error damaged(std::string message) { return Error::corrupt(std::move(message)); }

std::string gzipped(std::string_view plain) {
  std::string out;
  const auto compressor = new_compressor(Compression::Gzip);
  const bool is_done = compressor->add(plain, out) && compressor->end_part(out);
  TAVOLA_ASSERT(is_done);  // gzip refuses nothing
  return out;
}

// Returns nullopt if the bytes are not gzip, or hold more than `bytes_max`.
std::optional<std::string> decompressed(std::string_view bytes, std::size_t bytes_max) {
  const auto source = source_of(bytes, Compression::Gzip);
  std::string piece(kPieceBytes, '\0');
  std::string plain;
  for (;;) {
    const Result<std::size_t> got = source->read(piece);
    if (!got || plain.size() + *got > bytes_max) return std::nullopt;
    if (*got == 0) return plain;
    plain.append(piece, 0, *got);
  }
}

Result<std::vector<PackedItem>> items_in(std::string_view plain) {
  std::vector<PackedItem> items;
  while (!plain.empty()) {
    const std::size_t end = plain.find('\n');
    Result<PackedItem> item = item_of_line(plain.substr(0, end));
    plain.remove_prefix(end == std::string_view::npos ? plain.size() : end + 1);
    if (!item) return fail(damaged("line " + std::to_string(items.size() + 1) + " is no item"));
    items.push_back(*std::move(item));
  }
  return items;
}

}  // namespace

Checksum checksum_of(std::string_view bytes) {
  return {.bytes = bytes.size(), .sha256 = to_hex(sha256({bytes}))};
}

std::string to_json(const Manifest& manifest) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("format").integer(static_cast<std::int64_t>(kFormat));
  json.name("design").text(manifest.design);
  json.name("revision").text(manifest.revision);
  json.name("table").text(manifest.table);
  json.name("entity").text(manifest.entity);
  json.name("by").text(manifest.by);
  json.name("count").integer(static_cast<std::int64_t>(manifest.count));
  write(json, "first", manifest.oldest, manifest.first_key);
  write(json, "last", manifest.newest, manifest.last_key);
  write(json, "plain", manifest.plain);
  write(json, "compressed", manifest.compressed);
  json.name("archivedAt").text(iso8601(manifest.archived_at));
  json.end_object();
  return out + "\n";
}

Result<Manifest> read_manifest(std::string_view text) {
  Manifest manifest;
  std::uint64_t format = 0;
  const Result<void> read = read_members(text, [&](const wire::Fields& fields) {
    const ManifestReader in(fields);
    format = in.count("format");
    manifest = {.design = in.text("design"),
                .revision = in.text("revision"),
                .table = in.text("table"),
                .entity = in.text("entity"),
                .by = in.text("by"),
                .count = in.count("count")};
    in.inside("first", [&](const ManifestReader& inner) {
      manifest.oldest = inner.moment("moment");
      manifest.first_key = inner.key();
    });
    in.inside("last", [&](const ManifestReader& inner) {
      manifest.newest = inner.moment("moment");
      manifest.last_key = inner.key();
    });
    manifest.plain = in.checksum("plain");
    manifest.compressed = in.checksum("compressed");
    manifest.archived_at = in.moment("archivedAt");
  });
  if (format > kFormat) return fail(Error(ErrorCode::NewerFormat, "a newer Tavola wrote it; use that one"));
  if (!read) return fail(read.error());
  return manifest;
}

std::string to_json(const Removal& removal, WallTime moment) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("removed").integer(static_cast<std::int64_t>(removal.removed));
  json.name("goneBefore").integer(static_cast<std::int64_t>(removal.gone));
  json.name("keptBecauseChanged").integer(static_cast<std::int64_t>(removal.kept));
  json.name("moment").text(iso8601(moment));
  json.end_object();
  return out + "\n";
}

Batch make_batch(const Manifest& about, std::vector<OldItem> items,
                 const std::vector<KeySchemaElement>& key_schema) {
  std::ranges::sort(items, [](const OldItem& a, const OldItem& b) {
    return a.moment != b.moment ? a.moment < b.moment : a.item.bytes() < b.item.bytes();
  });
  Batch batch{.manifest = about};
  for (const OldItem& old : items) batch.plain += line_of(old.item) + "\n";
  batch.compressed = gzipped(batch.plain);
  Manifest& manifest = batch.manifest;
  manifest.count = items.size();
  // Whole seconds, rounded outwards: no item lies outside of the manifest's range.
  manifest.oldest = std::chrono::floor<std::chrono::seconds>(items.front().moment);
  manifest.newest = std::chrono::ceil<std::chrono::seconds>(items.back().moment);
  manifest.first_key = line_of(key_of_item(key_schema, items.front().item.view()));
  manifest.last_key = line_of(key_of_item(key_schema, items.back().item.view()));
  manifest.plain = checksum_of(batch.plain);
  manifest.compressed = checksum_of(batch.compressed);
  manifest.archived_at = std::chrono::floor<std::chrono::seconds>(about.archived_at);
  batch.name = manifest.table + "/" + manifest.entity + "/" + compact(manifest.oldest) + "-" +
               manifest.plain.sha256.substr(0, kHashCharacters);
  return batch;
}

Result<std::string> plain_of(const Manifest& manifest, std::string_view compressed) {
  if (checksum_of(compressed) != manifest.compressed) {
    return fail(damaged("its bytes differ from those that were written"));
  }
  std::optional<std::string> plain = decompressed(compressed, manifest.plain.bytes);
  if (!plain || checksum_of(*plain) != manifest.plain) {
    return fail(damaged("its content differs from what was written"));
  }
  return *std::move(plain);
}

Result<std::vector<PackedItem>> items_of(const Manifest& manifest, std::string_view plain) {
  TAVOLA_TRY(std::vector<PackedItem> items, items_in(plain));
  if (items.size() != manifest.count) {
    return fail(damaged("it has " + std::to_string(items.size()) + " items, and its manifest says " +
                        std::to_string(manifest.count)));
  }
  return items;
}

std::optional<std::vector<PackedItem>> items_named(std::string_view name, std::string_view compressed) {
  const std::optional<std::string> plain = decompressed(compressed, kPlainBytesMax);
  if (!plain || plain->empty()) return std::nullopt;
  // "…/20240101T000000Z-<hash>", with the suffix "-2" the second time
  const std::string hash = "Z-" + checksum_of(*plain).sha256.substr(0, kHashCharacters);
  if (name.find(hash) == std::string_view::npos) return std::nullopt;
  Result<std::vector<PackedItem>> items = items_in(*plain);
  return items ? std::optional(*std::move(items)) : std::nullopt;
}

}  // namespace tavola::transfer
