#include "engine/records/keys.h"

#include <algorithm>
#include <map>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/assert.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "value/key_codec.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// Written to disk. Never renumber; append only.
enum class Space : char {
  Catalog = 1,
  Entries = 2,
  Counters = 3,
  Collections = 4,
  Expiries = 5,
  Tokens = 6,
  Records = 7,
  Watches = 8,
  Jobs = 9,
  Changes = 10
};

std::string start(Space space, std::size_t capacity = 16) {
  std::string key;
  key.reserve(capacity);
  key.push_back(static_cast<char>(space));
  return key;
}

std::string start_table(Space space, TableId table, std::size_t capacity = 16) {
  std::string key = start(space, capacity);
  append_ordered_u32(key, table.value());
  return key;
}

std::string start_entry(TableId table, IndexId index) {
  std::string key = start_table(Space::Entries, table, 96);
  append_ordered_u16(key, index.value());
  return key;
}

// The length check of a value in a key. The table's key of an item is checked; the value for an index key may predate
// the index.
enum class Length : std::uint8_t { Checked, HashAttribute, RangeAttribute };

bool fits(const ValueView& value, Length length) {
  if (length == Length::Checked || value.type() == Type::Number) return true;
  const std::size_t bytes = value.ordered_bytes().size();
  return bytes > 0 && bytes <= (length == Length::HashAttribute ? limits::kPartitionKeyBytesMax
                                                                : limits::kSortKeyBytesMax);
}

// Appends the parts of `item`; returns false if one is missing, of another type, or too long.
bool append_parts(std::string& key, const std::vector<KeyAttribute>& attributes, const ItemView& item,
                  Length length = Length::Checked) {
  for (const KeyAttribute& attribute : attributes) {
    const auto value = item.find(attribute.name);
    if (!value || value->type() != attribute.type || !fits(*value, length)) {
      return false;
    }
    append_key_part(key, *value);
  }
  return true;
}

// The hash of the hash parts precedes them: reserves room for it, to be filled in after the parts are appended.
std::size_t reserve_hash(std::string& key) {
  const std::size_t hash_at = key.size();
  key.append(2, '\0');
  return hash_at;
}

void fill_hash(std::string& key, std::size_t hash_at) {
  const std::string_view parts = std::string_view(key).substr(hash_at + 2);
  const std::uint64_t hash = XXH3_64bits(parts.data(), parts.size());
  key[hash_at] = static_cast<char>(hash >> 8);
  key[hash_at + 1] = static_cast<char>(hash);
}

bool append_table_key(std::string& key, const KeyShape& shape, const ItemView& item) {
  const std::size_t hash_at = reserve_hash(key);
  if (!append_parts(key, shape.hash, item)) {
    return false;
  }
  fill_hash(key, hash_at);
  return append_parts(key, shape.range, item);
}

bool append_index_key(std::string& key, const KeyShape& shape, const ItemView& item) {
  const std::size_t hash_at = reserve_hash(key);
  if (!append_parts(key, shape.hash, item, Length::HashAttribute)) {
    return false;
  }
  fill_hash(key, hash_at);
  return append_parts(key, shape.range, item, Length::RangeAttribute);
}

// Returns whether it is an internal record (design/items/dependent_writes.h): only code that knows its key finds it.
bool is_record(const TableSchema& table, const ItemView& item) {
  const auto hash = item.find(table.key.hash.front().name);
  return hash && hash->type() == Type::String && hash->string().starts_with('$');
}

// An item's key and its expiry's share everything but the space, the index id and the seconds between them.
constexpr std::size_t kTableBytes = 1 + sizeof(std::uint32_t);
constexpr std::size_t kIndexBytes = sizeof(std::uint16_t);
constexpr std::size_t kHashBytes = sizeof(std::uint16_t);

// Reads one part for each attribute off the front of `in`, as the values of `read`.
Result<void> read_parts(std::string_view& in, const std::vector<KeyAttribute>& attributes,
                        std::map<std::string, PackedItem>& read) {
  for (const KeyAttribute& attribute : attributes) {
    ItemWriter writer;
    writer.name(attribute.name);
    TAVOLA_CHECK(read_key_part(in, attribute.type, writer));
    read.insert_or_assign(attribute.name, std::move(writer).finish());
  }
  return {};
}

PackedItem joined(const std::map<std::string, PackedItem>& attributes) {
  ItemWriter writer;
  for (const auto& [name, item] : attributes) {
    writer.name(name);
    writer.value(*item.find(name));
  }
  return std::move(writer).finish();
}

store::KeyRange range_of_prefix(std::string prefix) {
  store::KeyRange range;
  range.to = prefix_successor(prefix);
  range.from = std::move(prefix);
  return range;
}

}  // namespace

std::string next_table_id_key() { return start(Space::Catalog) + 'n'; }
std::string page_secret_key() { return start(Space::Catalog) + 'k'; }

std::string catalog_key(std::string_view table_name) {
  std::string key = start(Space::Catalog, table_name.size() + 2);
  key.push_back('t');
  key.append(table_name);
  return key;
}

store::KeyRange catalog_range() { return range_of_prefix(catalog_key("")); }

std::string_view table_name_in(std::string_view catalog_key) { return catalog_key.substr(2); }

store::Guard table_guard(const TableSchema& table) { return {table.catalog_key, table.record}; }

std::string tags_key(TableId table) {
  std::string key = start(Space::Catalog) + 'g';
  append_ordered_u32(key, table.value());
  return key;
}

std::string collecting_key(TableId table) {
  std::string key = start(Space::Catalog) + 'x';
  append_ordered_u32(key, table.value());
  return key;
}

store::KeyRange all_collecting() { return range_of_prefix(start(Space::Catalog) + 'x'); }

Result<TableId> table_of_collecting_key(std::string_view key) {
  std::string_view rest = key.substr(2);
  TAVOLA_TRY(const std::uint32_t id, read_ordered_u32(rest));
  return TableId(id);
}

std::string design_key(TableId table) {
  std::string key = start(Space::Catalog) + 'd';
  append_ordered_u32(key, table.value());
  return key;
}

std::string policy_key(TableId table) {
  std::string key = start(Space::Catalog) + 'p';
  append_ordered_u32(key, table.value());
  return key;
}

std::string stream_policy_key(TableId table, std::uint64_t since_ms) {
  std::string key = policy_key(table);
  append_ordered_u64(key, since_ms);
  return key;
}

store::KeyRange all_policies(TableId table) { return range_of_prefix(policy_key(table)); }

std::string backup_key(std::string_view id) { return (start(Space::Catalog, 32) + 'b').append(id); }

store::KeyRange every_backup() { return range_of_prefix(start(Space::Catalog) + 'b'); }

std::string counters_key(TableId table) { return start_table(Space::Counters, table); }

std::string collection_key(const TableSchema& table, const ItemView& item) {
  std::string key = start_table(Space::Collections, table.id, 64);
  const bool whole = append_parts(key, table.key.hash, item);
  TAVOLA_ASSERT(whole);
  return key;
}

store::KeyRange entry_range(TableId table, IndexId index, std::uint32_t first_hash, std::uint32_t end_hash) {
  TAVOLA_ASSERT(first_hash <= 0x10000 && end_hash <= 0x10000);
  store::KeyRange range = range_of_prefix(start_entry(table, index));
  if (end_hash < 0x10000) {
    range.to = range.from;
    append_ordered_u16(range.to, static_cast<std::uint16_t>(end_hash));
  }
  if (first_hash < 0x10000) {
    append_ordered_u16(range.from, static_cast<std::uint16_t>(first_hash));
  } else {
    range.from = range.to;
  }
  return range;
}

store::KeyRange all_entries(TableId table) { return range_of_prefix(start_table(Space::Entries, table)); }
store::KeyRange all_collections(TableId table) {
  return range_of_prefix(start_table(Space::Collections, table));
}
store::KeyRange all_expiries(TableId table) { return range_of_prefix(start_table(Space::Expiries, table)); }
store::KeyRange all_records(TableId table) { return range_of_prefix(start_table(Space::Records, table)); }
store::KeyRange all_watches(TableId table) { return range_of_prefix(start_table(Space::Watches, table)); }
store::KeyRange all_jobs(TableId table) { return range_of_prefix(start_table(Space::Jobs, table)); }

std::string item_key(const TableSchema& table, const ItemView& item) {
  if (table.description.governed_by && is_record(table, item)) return record_key(table, item);
  std::string key = start_entry(table.id, kTableItself);
  const bool whole = append_table_key(key, table.key, item);
  TAVOLA_ASSERT(whole);
  return key;
}

std::string record_key(const TableSchema& table, const ItemView& item) {
  std::string record = start_table(Space::Records, table.id, 64);
  const bool has_key =
      append_parts(record, table.key.hash, item) && append_parts(record, table.key.range, item);
  TAVOLA_ASSERT(has_key);
  return record;
}

std::string key_in_table(std::string_view item_key, TableId table) {
  std::string key(item_key.substr(0, 1));
  append_ordered_u32(key, table.value());
  key.append(item_key.substr(kTableBytes));
  return key;
}

bool is_record_key(std::string_view item_key) {
  return item_key.front() == static_cast<char>(Space::Records);
}

bool is_item_key(std::string_view key) {
  if (key.size() <= kTableBytes) return false;
  if (is_record_key(key)) return true;
  std::string_view index = key.substr(kTableBytes);
  const Result<std::uint16_t> id = read_ordered_u16(index);
  return key.front() == static_cast<char>(Space::Entries) && id && IndexId(*id) == kTableItself;
}

bool is_entry_key(std::string_view key) {
  return !key.empty() && key.front() == static_cast<char>(Space::Entries);
}

Result<TableId> table_of_entry(std::string_view key) {
  std::string_view rest = key.substr(std::min<std::size_t>(1, key.size()));
  TAVOLA_TRY(const std::uint32_t id, read_ordered_u32(rest));
  return TableId(id);
}

Result<PackedItem> key_attributes(const TableSchema& table, std::string_view item_key) {
  if (!is_item_key(item_key)) return fail(Error::corrupt("not the key of an item"));
  const std::size_t before_parts =
      is_record_key(item_key) ? kTableBytes : kTableBytes + kIndexBytes + kHashBytes;
  std::string_view parts = item_key.substr(std::min(before_parts, item_key.size()));
  std::map<std::string, PackedItem> read;
  TAVOLA_CHECK(read_parts(parts, table.key.hash, read));
  TAVOLA_CHECK(read_parts(parts, table.key.range, read));
  if (!parts.empty()) return fail(Error::corrupt("the key of an item is too long"));
  return joined(read);
}

Result<Partition> partition_of(const TableSchema& table, std::string_view entry_key) {
  std::string_view parts = entry_key.substr(std::min(kTableBytes, entry_key.size()));
  TAVOLA_TRY(const std::uint16_t id, read_ordered_u16(parts));
  TAVOLA_TRY(const std::uint16_t hash, read_ordered_u16(parts));
  static_cast<void>(hash);
  const auto index = std::ranges::find(table.indexes, IndexId(id), &IndexSchema::id);
  if (IndexId(id) != kTableItself && index == table.indexes.end())
    return fail(Error::corrupt("the key of an entry names no index of its table"));
  const KeyShape& key = IndexId(id) == kTableItself ? table.key : index->key;
  std::map<std::string, PackedItem> read;
  TAVOLA_CHECK(read_parts(parts, key.hash, read));
  return Partition{IndexId(id), joined(read)};
}

std::optional<std::string> index_entry_key(const TableSchema& table, const IndexSchema& index,
                                           const ItemView& item) {
  std::string key = start_entry(table.id, index.id);
  if (!append_index_key(key, index.key, item)) {
    return std::nullopt;
  }
  const bool has_table_key =
      append_parts(key, table.key.hash, item) && append_parts(key, table.key.range, item);
  TAVOLA_ASSERT(has_table_key);
  return key;
}

std::string partition_prefix(TableId table, IndexId index, std::span<const ValueView> hash_values) {
  std::string prefix = start_entry(table, index);
  const std::size_t hash_at = reserve_hash(prefix);
  for (const ValueView& value : hash_values) {
    append_key_part(prefix, value);
  }
  fill_hash(prefix, hash_at);
  return prefix;
}

std::string expiry_key(std::uint64_t seconds, std::string_view item_key) {
  std::string key = start(Space::Expiries, item_key.size() + sizeof(seconds));
  key.append(item_key.substr(1, sizeof(std::uint32_t)));
  append_ordered_u64(key, seconds);
  key.append(item_key.substr(kTableBytes + kIndexBytes));
  return key;
}

Result<Expiry> decode_expiry_key(std::string_view key) {
  std::string_view rest = key.substr(1);
  TAVOLA_TRY(const std::uint32_t table, read_ordered_u32(rest));
  TAVOLA_TRY(const std::uint64_t seconds, read_ordered_u64(rest));
  Expiry expiry{seconds, start_entry(TableId(table), kTableItself)};
  expiry.item_key.append(rest);
  return expiry;
}

store::KeyRange expiries_until(TableId table, std::uint64_t seconds) {
  store::KeyRange range = all_expiries(table);
  range.to = range.from;
  append_ordered_u64(range.to, seconds + 1);
  return range;
}

std::string watch_key(std::uint64_t milliseconds, std::string_view item_key) {
  std::string key = start(Space::Watches, item_key.size() + sizeof(milliseconds));
  key.append(item_key.substr(1, sizeof(std::uint32_t)));
  append_ordered_u64(key, milliseconds);
  key.append(item_key.substr(kTableBytes + kIndexBytes));
  return key;
}

Result<Watch> decode_watch_key(std::string_view key) {
  TAVOLA_TRY(Expiry same_form, decode_expiry_key(key));
  return Watch{same_form.seconds, std::move(same_form.item_key)};
}

store::KeyRange watches_until(TableId table, std::uint64_t milliseconds) {
  store::KeyRange range = all_watches(table);
  range.to = range.from;
  append_ordered_u64(range.to, milliseconds + 1);
  return range;
}

std::string job_key(TableId table, std::string_view id) {
  return start_table(Space::Jobs, table, 48).append(id);
}

std::string cascade_job_key(TableId table, std::string_view item_key) {
  return job_key(table, "gone-" + to_hex(sha256({item_key})));
}

bool is_job_key(std::string_view key) {
  return !key.empty() && key.front() == static_cast<char>(Space::Jobs);
}

store::KeyRange every_job() { return range_of_prefix(start(Space::Jobs)); }

Result<TableId> table_of_job_key(std::string_view key) {
  std::string_view rest = key.substr(1);
  TAVOLA_TRY(const std::uint32_t id, read_ordered_u32(rest));
  return TableId(id);
}

std::string changes_prefix(TableId table, std::uint8_t shard) {
  std::string prefix = start_table(Space::Changes, table);
  prefix.push_back(static_cast<char>(shard));
  return prefix;
}

std::string change_key(TableId table, std::uint8_t shard, std::uint64_t number) {
  std::string key = changes_prefix(table, shard);
  append_ordered_u64(key, number);
  return key;
}

store::KeyRange every_change() { return range_of_prefix(start(Space::Changes)); }

std::string_view changes_prefix_of(std::string_view change_key) {
  return change_key.substr(0, kTableBytes + 1);
}

Result<TableId> table_of_change_key(std::string_view key) { return table_of_job_key(key); }

// Internal records have no hash: all are in one shard.
std::uint8_t change_shard(std::string_view item_key) {
  if (is_record_key(item_key)) return 0;
  static_assert(kChangeShards == 4, "the upper two bits of the hash");
  return static_cast<std::uint8_t>(static_cast<unsigned char>(item_key[kTableBytes + kIndexBytes]) >> 6U);
}

std::string closed_stream_key(const ClosedStreamKey& stream) {
  std::string key = closed_streams_of(stream.table_name).from;
  append_ordered_u64(key, stream.since_ms);
  return key;
}

Result<ClosedStreamKey> decode_closed_stream_key(std::string_view key) {
  std::string_view rest = key.substr(std::min<std::size_t>(key.size(), 2));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return fail(Error::corrupt("The key of a stream is damaged."));
  ClosedStreamKey stream{std::string(rest.substr(0, end)), 0};
  rest.remove_prefix(end + 1);
  TAVOLA_TRY(stream.since_ms, read_ordered_u64(rest));
  return stream;
}

store::KeyRange closed_streams_of(std::string_view table_name) {
  std::string prefix = start(Space::Catalog, table_name.size() + 16) + 's';
  prefix.append(table_name).push_back('\0');
  return range_of_prefix(std::move(prefix));
}

store::KeyRange every_closed_stream() { return range_of_prefix(start(Space::Catalog) + 's'); }

std::string token_key(std::string_view client_request_token) {
  return start(Space::Tokens, client_request_token.size() + 1).append(client_request_token);
}

std::optional<std::string_view> token_in(std::string_view key) {
  if (key.empty() || key.front() != static_cast<char>(Space::Tokens)) return std::nullopt;
  return key.substr(1);
}

store::KeyRange all_tokens() { return range_of_prefix(start(Space::Tokens)); }

}  // namespace tavola::engine
