// Two tables that hold the same in two revisions of a design, while one is migrated to the other (migration.h): what is written
// to one is written to the other in the same transaction (joint_writes.cc).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "design/revisions/convert.h"
#include "engine/governed/governor.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// The other table, as this one knows it. Neither record changes without the other during a migration: so the guard of this
// table's record is one of both. Immutable.
struct Twin {
  std::shared_ptr<const TableSchema> table;
  std::shared_ptr<const Governor> own;  // the conversion borrows the designs of both
  std::shared_ptr<const Governor> other;
  design::Conversion conversion;
  design::Way way;  // from this table to the other
};

// Of a table that is being migrated, with its governor if it has one. Fails with Stale when the table is another one by now.
Result<std::shared_ptr<const Twin>> load_twin(const store::Store& store, const TableSchema& schema);

// Whose design says who may do what with the table: its own governor, or the one that the older table of a migration has for the
// migration alone, which only its twin knows. Null when the table has no design.
std::shared_ptr<const Governor> governing(const TableSchema& table);

// Where the counterpart of an item stands in the store; nothing when the other revision has no such entity.
Result<std::optional<std::string>> counterpart_key(const Twin& twin, const Item& item);

// Appends what changes in the other table: the item, its index entries, what is watched and counted.
struct CounterpartChange {
  const std::optional<Item>& before;
  const std::optional<Item>& after;
  WallTime now;
  bool expired = false;  // as in StoredChange
};
Result<void> append_counterpart(const Twin& twin, const std::string& key, const CounterpartChange& change,
                                std::vector<store::Write>& writes);

// Of a table that is being migrated.
const Migration& migration_of(const TableDescription& table);

// What a client is told whose write cannot be followed: in the words of the design, and what to do.
Error not_followed(const TableSchema& table, const Error& why);

}  // namespace tavola::engine
