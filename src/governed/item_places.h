// Where the things that the engine keeps under the keys of its store are in a table on another server:
//
//   item, or internal record of a design   the item under the same key
//   client request token                   {hash: $token#<first byte of its digest>, range: <token>, $bytes}
//   job (the rest of a large change)       {hash: $job#all, range: <id>, $bytes, and its lease}
//
// Their attributes begin with '$', so that no index of a design has them as keys.
//
// Index entries, counts, expiries and the change log are the business of the other server: they are nowhere.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>

#include "base/locks.h"
#include "engine/records/schema.h"
#include "governed/design_facts.h"
#include "store/store.h"

namespace tavola::governed {

using SchemaPtr = std::shared_ptr<const engine::TableSchema>;

// The place of one store key.
struct ItemPlace {
  SchemaPtr table;
  std::shared_ptr<const DesignFacts> facts;  // null: the table has no design
  PackedItem key;
  bool holds_bytes = false;  // the value is in the attribute `$bytes`, and not the item itself

  const std::string& table_name() const { return table->description.table_name; }
  const std::string& hash() const { return table->key.hash.front().name; }
  // Returns the item that stores the value.
  Result<PackedItem> item_of(std::string_view value) const;
  // Returns the value that an item stores. Fails with Corrupt if it stores none.
  Result<std::string> value_of(const PackedItem& item) const;
};

// Returns whether the key begins like those of the records of this file, which clients neither see nor write.
bool is_reserved(std::string_view hash);
bool is_reserved(const engine::TableSchema& table, const ItemView& key);
// Returns the key of the table of a design.
engine::KeyShape key_shape(const design::Design& design);
// Returns the key of a record: {hash: $<kind>#<name>, range: $<kind>}.
Result<PackedItem> record_place(const engine::KeyShape& key, std::string_view kind, std::string_view name);
// Returns whether records can be listed: the table has a sort key that is a string.
bool has_lists(const engine::KeyShape& key);
// Returns the key of a record in a list: {hash: $<kind>#<list>, range: <name>}; without lists, as record_place().
struct ListedRecord {
  std::string_view kind;
  std::string_view list;
  std::string_view name;
};
Result<PackedItem> listed_place(const engine::KeyShape& key, const ListedRecord& record);
ListedRecord job_record(std::string_view id);

// The schemas of records of the catalog, decoded once. Thread safety: all methods.
class SchemaCache {
 public:
  explicit SchemaCache(const store::Store& local) : local_(local) {}  // which has the catalog

  Result<SchemaPtr> find(std::string_view record);
  // Returns null if there is no such table.
  Result<SchemaPtr> find(engine::TableId id);
  Result<std::vector<SchemaPtr>> all();

 private:
  const store::Store& local_;
  SharedMutex mutex_;
  std::map<std::string, SchemaPtr, std::less<>> schemas_ TAVOLA_GUARDED_BY(mutex_);
};

// The tables of one transaction.
class TransactionTables {
 public:
  // `guards` name the tables that must not have changed. Borrows the others.
  static Result<TransactionTables> of(std::span<const store::Guard> guards, SchemaCache& schemas,
                                      const GovernedTables& governed);

  // Returns the place of a store key; nothing for one that is nowhere.
  Result<std::optional<ItemPlace>> place_of(std::string_view store_key) const;
  Result<SchemaPtr> table_of(std::string_view store_key) const;  // null if there is none

 private:
  Result<ItemPlace> place_in(SchemaPtr table, PackedItem key) const;

  const GovernedTables* governed_ = nullptr;
  SchemaCache* schemas_ = nullptr;
  std::vector<SchemaPtr> tables_;
};

// Returns whether the key is that of something on the other server.
bool is_elsewhere(std::string_view store_key);
// Returns whether a transaction with these keys is about items, and not about the catalog.
bool are_of_items(std::span<const std::string> keys);

}  // namespace tavola::governed
