// RestoreTableFromBackup and RestoreTableToPointInTime: what is wrong with the request, and a new table with a job that fills it
// (restore_job.h).
#pragma once

#include <tavola/backups.h>

#include "engine/backups/backups.h"

namespace tavola::engine {

Result<RestoreTableResponse> restore_from_backup(const BackupContext& context,
                                                 const RestoreTableFromBackupRequest& request);
Result<RestoreTableResponse> restore_to_moment(const BackupContext& context,
                                               const RestoreTableToPointInTimeRequest& request);

// The table that is made of `source`: with its keys, indexes and capacity, or what the overrides say; nothing else of it.
Result<TableDescription> restored_table(const TableDescription& source, const std::string& table_name,
                                        const RestoreOverrides& overrides);

}  // namespace tavola::engine
