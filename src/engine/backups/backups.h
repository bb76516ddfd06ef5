// Creates, describes, lists and deletes backups. restores.h restores them.
#pragma once

#include <tavola/backups.h>

#include "engine/backups/backup_catalog.h"
#include "engine/backups/checkpoint_shelf.h"
#include "engine/catalog/catalog.h"

namespace tavola::engine {

struct BackupContext {
  store::Store& store;
  Catalog& catalog;
  CheckpointShelf& shelf;
  const Clock& clock;
  Random& random;
};

Result<CreateBackupResponse> create_backup(const BackupContext& context, const CreateBackupRequest& request);
Result<DescribeBackupResponse> describe_backup(const store::Store& store,
                                               const DescribeBackupRequest& request);
Result<ListBackupsResponse> list_backups(const store::Store& store, const ListBackupsRequest& request);
Result<DeleteBackupResponse> delete_backup(const BackupContext& context, const DeleteBackupRequest& request);

// DeleteTable: removes a table, after a last backup of it if it has continuous backups.
Result<SchemaPtr> remove_table(const BackupContext& context, const std::string& table_name);

// Fails with BackupNotFound, or if it is not a backup's name.
Result<Backup> existing_backup(const store::Store& store, std::string_view backup);
// Returns whether a restore that is running, or may resume, reads the backup with this id.
Result<bool> is_being_read(store::RuleReads& reads, std::string_view id);

// Called at opening: removes what a crash left on the shelf.
Result<void> tidy_shelf(const store::Store& store, CheckpointShelf& shelf);
// Removes expired backups. One that cannot be removed does not stop the others.
Result<void> forget_expired_backups(store::Store& store, CheckpointShelf& shelf, WallTime now);

}  // namespace tavola::engine
