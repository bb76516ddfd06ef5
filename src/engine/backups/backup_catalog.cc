#include "engine/backups/backup_catalog.h"

#include "engine/backups/checkpoint_shelf.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kBetween = "/backup/";

Error damaged_backup() {
  return Error::corrupt("The record of a backup is damaged. Restore the data directory from a backup.");
}

const Value* find_typed(const Item& record, std::string_view name, Type type) {
  const auto found = record.find(name);
  return found == record.end() || found->second.type() != type ? nullptr : &found->second;
}

std::optional<std::int64_t> integer_in(const Item& record, std::string_view name) {
  const Value* const value = find_typed(record, name, Type::Number);
  return value == nullptr ? std::nullopt : value->number().to_int64();
}

WallTime time_of(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

}  // namespace

Result<std::string> encode_backup(const Backup& backup) {
  Item record{{"name", backup.name},
              {"type", static_cast<int>(backup.type)},
              {"created_at_ms", backup.created_at.time_since_epoch().count()},
              {"schema", Value(Binary{backup.schema})},
              {"items", backup.item_count},
              {"bytes", backup.size_bytes}};
  if (backup.expires_at) record.emplace("expires_at_ms", backup.expires_at->time_since_epoch().count());
  TAVOLA_TRY(const PackedItem packed, pack(record));
  return packed.bytes();
}

Result<Backup> decode_backup(std::string_view store_key, std::string_view bytes) {
  TAVOLA_CHECK(check_packed(bytes));
  const Item record = ItemView(bytes).unpack();
  const Value* const name = find_typed(record, "name", Type::String);
  const Value* const schema = find_typed(record, "schema", Type::Binary);
  const auto type = integer_in(record, "type");
  const auto created_at = integer_in(record, "created_at_ms");
  const auto items = integer_in(record, "items");
  const auto size = integer_in(record, "bytes");
  if (name == nullptr || schema == nullptr || !type || !created_at || !items || !size || *type < 0 ||
      *type > static_cast<std::int64_t>(BackupType::System)) {
    return fail(damaged_backup());
  }
  Backup backup{.id = std::string(store_key.substr(backup_key("").size())),
                .name = name->string(),
                .type = static_cast<BackupType>(*type),
                .created_at = time_of(*created_at),
                .expires_at = std::nullopt,
                .schema = schema->binary().bytes,
                .item_count = *items,
                .size_bytes = *size};
  if (const auto expires_at = integer_in(record, "expires_at_ms")) backup.expires_at = time_of(*expires_at);
  return backup;
}

Result<std::optional<Backup>> find_backup(const store::Store& store, std::string_view id) {
  const std::string key = backup_key(id);
  TAVOLA_TRY(const std::optional<std::string> record, store.get(key));
  if (!record) return std::optional<Backup>();
  TAVOLA_TRY(Backup backup, decode_backup(key, *record));
  return std::optional(std::move(backup));
}

Result<std::vector<Backup>> all_backups(const store::Store& store) {
  std::vector<Backup> backups;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(every_backup(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    TAVOLA_TRY(Backup backup, decode_backup(cursor->key(), cursor->value()));
    backups.push_back(std::move(backup));
  }
  TAVOLA_CHECK(cursor->status());
  return backups;
}

Result<BackupDescription> describe(const Backup& backup) {
  TAVOLA_TRY(const std::shared_ptr<TableSchema> schema, decode_schema(backup.schema));
  BackupDescription description{.backup = backup_name(schema->description.table_name, backup.id),
                                .name = backup.name,
                                .size_bytes = backup.size_bytes,
                                .status = BackupStatus::Available,
                                .type = backup.type,
                                .created_at = backup.created_at,
                                .expires_at = backup.expires_at,
                                .table = std::move(schema->description)};
  description.table.item_count = backup.item_count;
  description.table.size_bytes = backup.size_bytes;
  return description;
}

std::string backup_name(std::string_view table_name, std::string_view id) {
  return std::string(table_name).append(kBetween).append(id);
}

std::optional<BackupName> parse_backup_name(std::string_view text) {
  const std::size_t at = text.find(kBetween);
  if (at == 0 || at == std::string_view::npos) return std::nullopt;
  const std::string_view id = text.substr(at + kBetween.size());
  if (!is_backup_id(id)) return std::nullopt;
  return BackupName{std::string(text.substr(0, at)), std::string(id)};
}

Result<std::optional<StoredTable>> table_in(const store::Store& store, std::string_view table_name) {
  const auto snapshot = store.snapshot();
  TAVOLA_TRY(const std::optional<std::string> record, snapshot->get(catalog_key(table_name)));
  if (!record) return std::optional<StoredTable>();
  StoredTable table;
  TAVOLA_TRY(table.schema, decode_schema(*record));
  TAVOLA_TRY(const std::optional<std::string> counted, snapshot->get(counters_key(table.schema->id)));
  TAVOLA_TRY(const std::vector<std::int64_t> counters,
             store::decode_counters(counted.value_or(std::string()), 2));
  table.item_count = counters[0];
  table.size_bytes = counters[1];
  return std::optional(std::move(table));
}

}  // namespace tavola::engine
