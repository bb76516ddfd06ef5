#include "engine/governed/paired_table.h"

#include "base/assert.h"
#include "design/rules/govern.h"
#include "engine/checks/key_checks.h"
#include "engine/records/keys.h"
#include "engine/write/write.h"

namespace tavola::engine {
namespace {

using design::Way;

Result<std::optional<PackedItem>> packed(const std::optional<Item>& item) {
  if (!item) return std::optional<PackedItem>();
  TAVOLA_TRY(PackedItem bytes, pack(*item));
  return std::optional(std::move(bytes));
}

std::optional<ItemView> view_of(const std::optional<PackedItem>& item) {
  return item ? std::optional(item->view()) : std::nullopt;
}

// When the item will be stuck in its state; nothing when it is never.
std::optional<std::uint64_t> watched_at(const TableSchema& table, const std::optional<Item>& item) {
  if (!item || !table.governor) return std::nullopt;
  const design::Decoded decoded = design::decode(table.governor->design, *item);
  if (decoded.entity == nullptr) return std::nullopt;
  const auto due = design::stuck_at(*decoded.entity, decoded.fields);
  return due && *due >= 0 ? std::optional(static_cast<std::uint64_t>(*due)) : std::nullopt;
}

// Also of a table that has its design for the migration alone, and is not governed.
Result<std::shared_ptr<const Governor>> governor_of(const store::Snapshot& snapshot,
                                                    const TableSchema& schema) {
  if (schema.governor) return schema.governor;
  TableSchema with_design = schema;
  if (!with_design.description.governed_by)
    with_design.description.governed_by = GovernedBy{.enforcement = Enforcement::Off};
  return load_governor(snapshot, with_design, std::make_shared<BrokenRules>());
}

}  // namespace

Result<std::shared_ptr<const Twin>> load_twin(const store::Store& store, const TableSchema& schema) {
  const TableDescription& description = schema.description;
  const auto snapshot = store.snapshot();
  TAVOLA_TRY(const std::optional<std::string> own, snapshot->get(catalog_key(description.table_name)));
  if (own != schema.record) {
    return fail(Error(ErrorCode::Stale, "table '" + description.table_name + "' changed meanwhile"));
  }
  const Migration& migration = migration_of(description);
  TAVOLA_TRY(const std::optional<std::string> record, snapshot->get(catalog_key(migration.other_table)));
  if (!record) {
    return fail(Error::corrupt("The table '" + migration.other_table + "', to or from which '" +
                               description.table_name +
                               "' is migrated, is gone. Restore the data directory from a backup."));
  }
  TAVOLA_TRY(const std::shared_ptr<TableSchema> other, decode_schema(*record));
  TAVOLA_TRY(const auto own_governor, governor_of(*snapshot, schema));
  TAVOLA_TRY(const auto other_governor, governor_of(*snapshot, *other));
  if (other->description.governed_by) other->governor = other_governor;
  const bool is_older = migration.role == Migration::Role::Older;
  const design::Design& older = is_older ? own_governor->design : other_governor->design;
  const design::Design& newer = is_older ? other_governor->design : own_governor->design;
  TAVOLA_TRY(design::Conversion conversion, design::Conversion::between(older, newer));
  return std::make_shared<const Twin>(Twin{.table = other,
                                           .own = own_governor,
                                           .other = other_governor,
                                           .conversion = std::move(conversion),
                                           .way = is_older ? Way::Forward : Way::Back});
}

std::shared_ptr<const Governor> governing(const TableSchema& table) {
  return table.twin ? table.twin->own : table.governor;
}

Result<std::optional<std::string>> counterpart_key(const Twin& twin, const Item& item) {
  TAVOLA_TRY(const std::optional<Item> key, twin.conversion.counterpart_key(twin.way, item));
  if (!key) return std::optional<std::string>();
  TAVOLA_TRY(const PackedItem bytes, pack(*key));
  TAVOLA_CHECK(check_key(twin.table->key, bytes.view()));
  return std::optional(item_key(*twin.table, bytes.view()));
}

Result<void> append_counterpart(const Twin& twin, const std::string& key,
                                const CounterpartChange& counterpart, std::vector<store::Write>& writes) {
  const TableSchema& table = *twin.table;
  const auto& [before, after, now, expired] = counterpart;
  TAVOLA_TRY(const std::optional<PackedItem> old_bytes, packed(before));
  TAVOLA_TRY(const std::optional<PackedItem> new_bytes, packed(after));
  if (new_bytes) {
    TAVOLA_CHECK(check_changed_index_keys(table, view_of(old_bytes), new_bytes->view()));
    TAVOLA_CHECK(check_stored_size(table, new_bytes->view()));
  }
  UsedUnits units(table);  // nobody is told what they are: the client wrote to the other table
  const StoredChange change{.table = table,
                            .key = key,
                            .before = view_of(old_bytes),
                            .after = view_of(new_bytes),
                            .now = now,
                            .expired = expired};
  TAVOLA_CHECK(append_writes(change, units, writes));
  const auto due_before = watched_at(table, before);
  const auto due_after = watched_at(table, after);
  if (due_before == due_after) return {};
  if (due_before) writes.push_back(store::Write::erase(watch_key(*due_before, key)));
  if (due_after) writes.push_back(store::Write::put(watch_key(*due_after, key), ""));
  return {};
}

const Migration& migration_of(const TableDescription& table) {
  TAVOLA_ASSERT(table.migration.has_value());
  return *table.migration;
}

Error not_followed(const TableSchema& table, const Error& why) {
  const Twin& twin = *table.twin;
  return Error::validation("Tavola: " + table.description.table_name + " is being migrated, and " +
                           twin.table->description.table_name + ", of revision " +
                           twin.conversion.target(twin.way).revision +
                           ", cannot have what is written: " + why.message());
}

}  // namespace tavola::engine
