// The catalog of backups: a record in the store for each, and its data on the shelf (checkpoint_shelf.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/backups.h>

#include "base/clock.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

struct Backup {
  std::string id{};
  std::string name{};
  BackupType type = BackupType::User;
  WallTime created_at{};
  std::optional<WallTime> expires_at{};
  std::string schema{};  // the catalog record of its table at that time
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
};

// The record: a packed item (docs/FORMAT.md, "Backups"). Encoder and decoder of one format.
Result<std::string> encode_backup(const Backup& backup);
Result<Backup> decode_backup(std::string_view store_key, std::string_view record);

// Returns nullopt if there is none.
Result<std::optional<Backup>> find_backup(const store::Store& store, std::string_view id);
// Returns all, oldest first.
Result<std::vector<Backup>> all_backups(const store::Store& store);

Result<BackupDescription> describe(const Backup& backup);

// "Music/backup/01763199000125-5f3a9c01" and back; nullopt if it is not a backup's name.
std::string backup_name(std::string_view table_name, std::string_view id);
struct BackupName {
  std::string table_name;
  std::string id;
};
std::optional<BackupName> parse_backup_name(std::string_view text);

// A table with its counts in a store; nullopt if there is no such table.
struct StoredTable {
  std::shared_ptr<TableSchema> schema;
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
};
Result<std::optional<StoredTable>> table_in(const store::Store& store, std::string_view table_name);

}  // namespace tavola::engine
