// Two tables that hold the same in two revisions of a design, while one is migrated to the other (migration.h): what is written
// to one is written to the other in the same transaction (design_rules.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "design/revisions/convert.h"
#include "engine/governed/governor.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// The other table, as this one knows it. Neither record changes without the other during a migration: so the guard of this
// table's record is one of both. Immutable.
struct PairedTable {
  std::shared_ptr<const TableSchema> table;
  std::shared_ptr<const Governor> own;  // the conversion borrows the designs of both
  std::shared_ptr<const Governor> other;
  design::Conversion conversion;
  design::Way way;  // from this table to the other
};

// Loads the paired table of a table that is being migrated. `governor` is the table's own; null if it has its design for the migration alone.
// Fails with Stale when the table has changed since.
Result<std::shared_ptr<const PairedTable>> load_paired_table(const store::Store& store,
                                                             const TableSchema& schema,
                                                             const std::shared_ptr<const Governor>& governor);

// Returns the key of an item's counterpart in the store; nothing when the other revision has no such entity.
Result<std::optional<std::string>> counterpart_key(const PairedTable& paired, const Item& item);

// The table is being migrated.
const Migration& migration_of(const TableDescription& table);

// The error of a write to `table` that its paired table cannot follow.
Error not_followed(const TableSchema& table, const PairedTable& paired, const Error& why);

}  // namespace tavola::engine
