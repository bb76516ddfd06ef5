// The layout of the store. Every key of the engine is made here; docs/FORMAT.md has the same drawing.
//
//   catalog      01 'n'                                                            next table id (u32)
//                01 'k'                                                            the secret of pages, in PostgreSQL
//                01 't' <table name>                                               catalog record
//                01 'g' <table u32>                                                the table's tags
//                01 'd' <table u32>                                                the design that governs the table
//                01 'p' <table u32>                                                the table's policy
//                01 'p' <table u32> <milliseconds u64>                             the policy of its stream of that time
//                01 's' <table name> 00 <milliseconds u64>                         a stream that is switched off
//                01 'b' <backup id>                                                a backup (backup_catalog.h)
//                01 'x' <table u32>                                                a table whose expiries are still to be
//                                                                                  collected: its name
//   entries      02 <table u32> 0000 <hash u16> <hash part> <range part>           an item
//                02 <table u32> <index u16> <hash u16> <hash parts> <range parts>  an index entry ...
//                   ... <table's hash part> <table's range part>
//   counters     03 <table u32>                                                    counts and bytes
//   collections  04 <table u32> <hash part>                                        bytes of an item collection
//   expiries     05 <table u32> <seconds u64> <hash u16> <hash part> <range part>  empty: the item expires then
//   tokens       06 <client request token>                                         a finished transaction
//   records      07 <table u32> <hash part> <range part>                           an internal record of a governed table:
//                                                                                  its key begins with $; no index has it
//   watches      08 <table u32> <milliseconds u64> <hash u16> <hash part> <range part>  empty: the item is stuck then
//   jobs         09 <table u32> <uuid, or a word such as adopt>                    the rest of a large change
//   changes      0A <table u32> <shard u8> <number u64>                            a change of an item (change_log.h)
//
// Parts are encoded so that byte order is DynamoDB's order (value/key_codec.h). The hash is that of the hash parts: it
// spreads partitions evenly, gives Scan its order and parallel scans their segments. The table key at the end of an
// index entry makes entries unique and orders ties.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/packed.h>

#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

std::string next_table_id_key();
std::string page_secret_key();
std::string catalog_key(std::string_view table_name);
store::KeyRange catalog_range();
std::string_view table_name_in(std::string_view catalog_key);
// Guards a transaction against a change of the table: it fails with Stale unless the catalog record is still the one that the
// schema was decoded from. Borrows the schema.
store::Guard table_guard(const TableSchema& table);

std::string tags_key(TableId table);
std::string collecting_key(TableId table);
store::KeyRange all_collecting();
Result<TableId> table_of_collecting_key(std::string_view key);
std::string design_key(TableId table);
std::string policy_key(TableId table);
std::string stream_policy_key(TableId table, std::uint64_t since_ms);
store::KeyRange all_policies(TableId table);  // its own and those of its streams
std::string backup_key(std::string_view id);
store::KeyRange every_backup();
std::string counters_key(TableId table);
std::string collection_key(const TableSchema& table, const ItemView& item);

// Returns all entries of a table or of one of its indexes whose hash is in [first_hash, end_hash); end_hash <= 65536.
store::KeyRange entry_range(TableId table, IndexId index, std::uint32_t first_hash, std::uint32_t end_hash);
// Returns everything of a table outside the catalog.
store::KeyRange all_entries(TableId table);
store::KeyRange all_collections(TableId table);
store::KeyRange all_expiries(TableId table);
store::KeyRange all_records(TableId table);
store::KeyRange all_watches(TableId table);
store::KeyRange all_jobs(TableId table);

// Returns the item's key, from an item or a key that has all key attributes in the right types.
std::string item_key(const TableSchema& table, const ItemView& item);

// Returns whether the key is an item_key(), of an internal record or of any other item.
bool is_item_key(std::string_view key);
// Returns whether the key is that of an item or of an entry of an index.
bool is_entry_key(std::string_view key);
// Returns the table of an item_key() or of an entry of an index.
Result<TableId> table_of_entry(std::string_view key);
// Returns the key attributes of an item_key(). Fails with Corrupt if the key is not one of this table.
Result<PackedItem> key_attributes(const TableSchema& table, std::string_view item_key);

// Part of a table or of one of its indexes: the entries whose hash attributes have these values.
struct Partition {
  IndexId index;
  PackedItem hash;
};
// Returns the partition in which a range of entries begins. Fails with Corrupt if the range begins with no whole partition.
Result<Partition> partition_of(const TableSchema& table, std::string_view entry_key);

// Returns the key of `item`'s entry in `index`; nullopt if it lacks one of the index's key attributes (sparse index),
// or has one that does not fit: such an item predates the index, and AWS leaves it out.
std::optional<std::string> index_entry_key(const TableSchema& table, const IndexSchema& index,
                                           const ItemView& item);

// The time when an item expires, in seconds since 1970, and its item_key().
struct Expiry {
  std::uint64_t seconds;
  std::string item_key;
};
std::string expiry_key(std::uint64_t seconds, std::string_view item_key);
Result<Expiry> decode_expiry_key(std::string_view key);
// Returns the expiries of a table up to and including `seconds`.
store::KeyRange expiries_until(TableId table, std::uint64_t seconds);

// Returns whether this item_key() is that of an internal record.
bool is_record_key(std::string_view item_key);
// Returns the key of an internal record, whether or not the table is governed.
std::string record_key(const TableSchema& table, const ItemView& item);
// Returns the same key in another table, which has the same key attributes.
std::string key_in_table(std::string_view item_key, TableId table);

// The time when an item is stuck, in milliseconds since 1970.
struct Watch {
  std::uint64_t milliseconds;
  std::string item_key;
};
std::string watch_key(std::uint64_t milliseconds, std::string_view item_key);
Result<Watch> decode_watch_key(std::string_view key);
// Returns the watches of a table up to and including `milliseconds`.
store::KeyRange watches_until(TableId table, std::uint64_t milliseconds);

std::string job_key(TableId table, std::string_view id);
// Returns the key of the job that deletes the dependents of the item with this store key.
std::string cascade_job_key(TableId table, std::string_view item_key);
bool is_job_key(std::string_view key);
store::KeyRange every_job();  // of all tables
Result<TableId> table_of_job_key(std::string_view key);

// The changes of a table's items, in order; each in the shard of its hash.
inline constexpr std::uint8_t kChangeShards = 4;
inline constexpr std::uint8_t kMarksShard = 255;  // contains no changes: restores.cc
std::string changes_prefix(TableId table, std::uint8_t shard);
std::string change_key(TableId table, std::uint8_t shard, std::uint64_t number);
store::KeyRange every_change();  // of all tables
std::string_view changes_prefix_of(std::string_view change_key);
Result<TableId> table_of_change_key(std::string_view key);
std::uint8_t change_shard(std::string_view item_key);

// A stream that is switched off: its table's name, and when it was switched on, in milliseconds since 1970.
struct ClosedStreamKey {
  std::string table_name;
  std::uint64_t since_ms;
};
std::string closed_stream_key(const ClosedStreamKey& stream);
Result<ClosedStreamKey> decode_closed_stream_key(std::string_view key);
store::KeyRange closed_streams_of(std::string_view table_name);
store::KeyRange every_closed_stream();

std::string token_key(std::string_view client_request_token);
// Returns the token of a token_key(); nothing if it is another key.
std::optional<std::string_view> token_in(std::string_view key);
store::KeyRange all_tokens();

// Returns the common prefix of all entries whose hash attributes have these values, in the order of the key.
std::string partition_prefix(TableId table, IndexId index, std::span<const ValueView> hash_values);

}  // namespace tavola::engine
