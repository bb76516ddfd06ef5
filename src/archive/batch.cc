#include "archive/batch.h"

#include <algorithm>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/timestamps.h"
#include "http/bytes/compression.h"
#include "wire/codec/attribute_values.h"

namespace tavola::archive {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kHashCharacters = 24;
// Far more than a batch has: its items are at most 400 KB each, and it is closed when it has 4 MB.
constexpr std::size_t kPlainBytesMax = std::size_t{64} << 20U;
constexpr std::size_t kBudgetBytesLeast = std::size_t{1} << 20U;

std::string line_of(const PackedItem& item) {
  std::string line;
  wire::append_item(line, item.view());
  return line;
}

// 2024-01-31T12:00:00Z without what separates: it is part of file names.
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

// Reads the members of a manifest; what is missing or of another type is remembered.
class Reader {
 public:
  explicit Reader(wire::JsonValue object) : object_(object) {}

  std::string text(std::string_view name) {
    const auto value = member(name, wire::JsonType::String);
    return value ? std::string(value->text()) : std::string();
  }
  std::uint64_t count(std::string_view name) {
    const auto value = member(name, wire::JsonType::Integer);
    return value ? static_cast<std::uint64_t>(std::max<std::int64_t>(value->integer(), 0)) : 0;
  }
  WallTime moment(std::string_view name) {
    const std::optional<WallTime> moment = parse_iso8601(text(name));
    if (!moment) is_whole_ = false;
    return moment.value_or(WallTime());
  }
  std::string json(std::string_view name) {
    const auto value = member(name, wire::JsonType::Object);
    return value ? value->to_text() : std::string();
  }
  // What `read` reads of a member that is an object.
  template <class Read>
  void inside(std::string_view name, Read read) {
    const auto value = member(name, wire::JsonType::Object);
    if (!value) return;
    Reader inner(*value);
    read(inner);
    is_whole_ = is_whole_ && inner.is_whole_;
  }
  bool is_whole() const { return is_whole_; }

 private:
  std::optional<wire::JsonValue> member(std::string_view name, wire::JsonType type) {
    std::optional<wire::JsonValue> value = object_.find(name);
    if (value && value->type() == type) return value;
    is_whole_ = false;
    return std::nullopt;
  }

  wire::JsonValue object_;
  bool is_whole_ = true;
};

void read(Reader& in, std::string_view name, Checksum& checksum) {
  in.inside(name, [&checksum](Reader& inner) {
    checksum = {.bytes = inner.count("bytes"), .sha256 = inner.text("sha256")};
  });
}

Error damaged(std::string message) { return Error::corrupt(std::move(message)); }

std::optional<std::string> decompressed(std::string_view bytes, std::size_t bytes_max) {
  // Room for the plain bytes and the last doubling; nobody shares it.
  http::ByteBudget budget(4 * bytes_max + kBudgetBytesLeast);
  http::BudgetShare share(budget);
  std::string plain;
  const bool is_done = http::decompress(bytes, plain, bytes_max, share) == http::Decompressed::Done;
  return is_done ? std::optional(std::move(plain)) : std::nullopt;
}

Result<std::vector<PackedItem>> items_in(std::string_view plain) {
  std::vector<PackedItem> items;
  while (!plain.empty()) {
    const std::size_t end = plain.find('\n');
    const std::string line(plain.substr(0, end));
    plain.remove_prefix(end == std::string_view::npos ? plain.size() : end + 1);
    const Result<wire::JsonDocument> document = wire::JsonDocument::parse(line);
    wire::Problems problems;
    if (!document || document->root().type() != wire::JsonType::Object) {
      return fail(damaged("line " + std::to_string(items.size() + 1) + " is no item"));
    }
    items.push_back(wire::read_item(document->root(), problems));
    if (!problems.check()) return fail(damaged("line " + std::to_string(items.size()) + " is no item"));
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
  json.name("format").integer(kFormat);
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
  const Result<wire::JsonDocument> document = wire::JsonDocument::parse(text);
  if (!document || document->root().type() != wire::JsonType::Object) {
    return fail(damaged("it is no JSON object"));
  }
  Reader in(document->root());
  if (in.count("format") > kFormat) {
    return fail(Error(ErrorCode::NewerFormat, "a newer Tavola wrote it; use that one"));
  }
  Manifest manifest{.design = in.text("design"),
                    .revision = in.text("revision"),
                    .table = in.text("table"),
                    .entity = in.text("entity"),
                    .by = in.text("by"),
                    .count = in.count("count")};
  in.inside("first", [&](Reader& inner) {
    manifest.oldest = inner.moment("moment");
    manifest.first_key = inner.json("key");
  });
  in.inside("last", [&](Reader& inner) {
    manifest.newest = inner.moment("moment");
    manifest.last_key = inner.json("key");
  });
  read(in, "plain", manifest.plain);
  read(in, "compressed", manifest.compressed);
  manifest.archived_at = in.moment("archivedAt");
  if (!in.is_whole()) return fail(damaged("a part of it is missing"));
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
                 const std::vector<std::string>& key_names) {
  std::ranges::sort(items, [](const OldItem& a, const OldItem& b) {
    return a.moment != b.moment ? a.moment < b.moment : a.item.bytes() < b.item.bytes();
  });
  Batch batch{.manifest = about};
  for (const OldItem& old : items) batch.plain += line_of(old.item) + "\n";
  batch.compressed = http::compress(http::Coding::Gzip, batch.plain);
  Manifest& manifest = batch.manifest;
  manifest.count = items.size();
  // Whole seconds, outwards: no item lies outside of what the manifest tells.
  manifest.oldest = std::chrono::floor<std::chrono::seconds>(items.front().moment);
  manifest.newest = std::chrono::ceil<std::chrono::seconds>(items.back().moment);
  manifest.first_key = line_of(key_of(items.front().item, key_names));
  manifest.last_key = line_of(key_of(items.back().item, key_names));
  manifest.plain = checksum_of(batch.plain);
  manifest.compressed = checksum_of(batch.compressed);
  manifest.archived_at = std::chrono::floor<std::chrono::seconds>(about.archived_at);
  batch.name = manifest.table + "/" + manifest.entity + "/" + compact(manifest.oldest) + "-" +
               manifest.plain.sha256.substr(0, kHashCharacters);
  return batch;
}

Result<std::string> plain_of(const Manifest& manifest, std::string_view compressed) {
  if (checksum_of(compressed) != manifest.compressed) {
    return fail(damaged("its bytes are not those that were written"));
  }
  std::optional<std::string> plain = decompressed(compressed, manifest.plain.bytes);
  if (!plain || checksum_of(*plain) != manifest.plain) {
    return fail(damaged("what it holds is not what was written"));
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
  // "…/20240101T000000Z-<hash>", with "-2" behind it the second time
  const std::string hash = "Z-" + checksum_of(*plain).sha256.substr(0, kHashCharacters);
  if (name.find(hash) == std::string_view::npos) return std::nullopt;
  Result<std::vector<PackedItem>> items = items_in(*plain);
  return items ? std::optional(*std::move(items)) : std::nullopt;
}

PackedItem key_of(const PackedItem& item, const std::vector<std::string>& key_names) {
  ItemWriter writer;
  for (const auto& [name, value] : item.view()) {
    if (std::ranges::find(key_names, name) == key_names.end()) continue;
    writer.name(name);
    writer.value(value);
  }
  return std::move(writer).finish();
}

}  // namespace tavola::archive
