// Backups: made, described, listed and deleted. Restoring is in restores.h.
#pragma once

#include <tavola/backups.h>

#include "engine/backups/backup_catalog.h"
#include "engine/backups/checkpoint_shelf.h"
#include "engine/catalog/catalog.h"

namespace tavola::engine {

struct BackupContext {
  store::Store& store;
  Catalog& catalog;
  BackupShelf& shelf;
  const Clock& clock;
  Random& random;
};

Result<CreateBackupResponse> create_backup(const BackupContext& context, const CreateBackupRequest& request);
Result<DescribeBackupResponse> describe_backup(const store::Store& store,
                                               const DescribeBackupRequest& request);
Result<ListBackupsResponse> list_backups(const store::Store& store, const ListBackupsRequest& request);
Result<DeleteBackupResponse> delete_backup(const BackupContext& context, const DeleteBackupRequest& request);

// DeleteTable: removes a table, after a last backup of it when it has continuous ones.
Result<SchemaPtr> remove_table(const BackupContext& context, const std::string& table_name);

// Fails with BackupNotFound, or when that is no backup's name.
Result<Backup> existing_backup(const store::Store& store, std::string_view backup);
// The backup with this id is read by a restore that goes on, or may.
Result<bool> is_being_read(const store::Store& store, std::string_view id);

// At opening: what a crash left on the shelf.
Result<void> tidy_shelf(const store::Store& store, BackupShelf& shelf);
// Backups whose time is over. One that cannot be taken away does not keep the others.
Result<void> forget_expired_backups(store::Store& store, BackupShelf& shelf, WallTime now);

}  // namespace tavola::engine
