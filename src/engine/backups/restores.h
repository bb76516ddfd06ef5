// RestoreTableFromBackup and RestoreTableToPointInTime: check the request, and create a new table with a job that fills
// it (restore_job.h).
#pragma once

#include <tavola/backups.h>

#include "engine/backups/backups.h"

namespace tavola::engine {

Result<RestoreTableResponse> restore_from_backup(const BackupContext& context,
                                                 const RestoreTableFromBackupRequest& request);
Result<RestoreTableResponse> restore_to_moment(const BackupContext& context,
                                               const RestoreTableToPointInTimeRequest& request);

// Returns the table that is made from `source`: its keys, indexes and capacity, or those of the overrides; nothing
// else.
Result<TableDescription> restored_table(const TableDescription& source, const std::string& table_name,
                                        const RestoreOverrides& overrides);

}  // namespace tavola::engine
