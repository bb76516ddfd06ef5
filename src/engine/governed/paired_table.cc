#include "engine/governed/paired_table.h"

#include "base/assert.h"
#include "engine/checks/key_checks.h"
#include "engine/governed/design_rules.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

using design::Way;

// Loads the governor of a table, also of one that has its design for the migration alone and is not governed.
Result<std::shared_ptr<const Governor>> governor_from(const store::Snapshot& snapshot,
                                                      const TableSchema& schema) {
  TableSchema with_design = schema;
  if (!with_design.description.governed_by)
    with_design.description.governed_by = GovernedBy{.enforcement = Enforcement::Off};
  return load_governor(snapshot, with_design, std::make_shared<BrokenRules>());
}

}  // namespace

Result<std::shared_ptr<const PairedTable>> load_paired_table(
    const store::Store& store, const TableSchema& schema, const std::shared_ptr<const Governor>& governor) {
  const TableDescription& description = schema.description;
  const auto snapshot = store.snapshot();
  TAVOLA_TRY(const std::optional<std::string> own, snapshot->get(catalog_key(description.table_name)));
  if (own != schema.record) {
    return fail(Error(ErrorCode::Stale, "table '" + description.table_name + "' changed concurrently"));
  }
  const Migration& migration = migration_of(description);
  TAVOLA_TRY(const std::optional<std::string> record, snapshot->get(catalog_key(migration.other_table)));
  if (!record) {
    return fail(Error::corrupt("The table '" + migration.other_table + "', to or from which '" +
                               description.table_name +
                               "' is migrated, is gone. Restore the data directory from a backup."));
  }
  TAVOLA_TRY(const std::shared_ptr<TableSchema> other, decode_schema(*record));
  std::shared_ptr<const Governor> own_governor = governor;
  if (!own_governor) {
    TAVOLA_TRY(own_governor, governor_from(*snapshot, schema));
  }
  TAVOLA_TRY(const auto other_governor, governor_from(*snapshot, *other));
  if (other->description.governed_by)
    other->rules = std::make_shared<const DesignRules>(*other, other_governor, nullptr);
  const bool is_older = migration.role == Migration::Role::Older;
  const design::Design& older = is_older ? own_governor->design : other_governor->design;
  const design::Design& newer = is_older ? other_governor->design : own_governor->design;
  TAVOLA_TRY(design::Conversion conversion, design::Conversion::between(older, newer));
  return std::make_shared<const PairedTable>(PairedTable{.table = other,
                                                         .own = own_governor,
                                                         .other = other_governor,
                                                         .conversion = std::move(conversion),
                                                         .way = is_older ? Way::Forward : Way::Back});
}

Result<std::optional<std::string>> counterpart_key(const PairedTable& paired, const Item& item) {
  TAVOLA_TRY(const std::optional<Item> key, paired.conversion.counterpart_key(paired.way, item));
  if (!key) return std::optional<std::string>();
  TAVOLA_TRY(const PackedItem bytes, pack(*key));
  TAVOLA_CHECK(check_key(paired.table->key, bytes.view()));
  return std::optional(item_key(*paired.table, bytes.view()));
}

const Migration& migration_of(const TableDescription& table) {
  TAVOLA_ASSERT(table.migration.has_value());
  return *table.migration;
}

Error not_followed(const TableSchema& table, const PairedTable& paired, const Error& why) {
  return Error::validation("Tavola: " + table.description.table_name + " is being migrated, and " +
                           paired.table->description.table_name + ", of revision " +
                           paired.conversion.target(paired.way).revision +
                           ", cannot store this item: " + why.message());
}

}  // namespace tavola::engine
