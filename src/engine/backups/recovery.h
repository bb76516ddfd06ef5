// Continuous backups: while a table's recovery is switched on, its change log keeps what is needed to undo every change
// (change_log.h), for the requested period.
#pragma once

#include <tavola/backups.h>

#include "base/clock.h"
#include "engine/catalog/catalog.h"

namespace tavola::engine {

inline constexpr int kRecoveryDaysMax = 35;

// UpdateContinuousBackups: checks the request itself, and returns the change for Catalog::update.
Result<void> check_recovery(const UpdateContinuousBackupsRequest& request);
Catalog::Change recovery_change(const UpdateContinuousBackupsRequest& request, WallTime now);

// Returns the period to which a table can be restored now.
ContinuousBackups continuous_backups(const TableDescription& table, WallTime now);

// Backup operations report a missing or unfinished table with TableNotFoundException.
Error backed_up_table_not_found(std::string_view table_name);
Result<SchemaPtr> find_backed_up_table(Catalog& catalog, std::string_view table_name);

}  // namespace tavola::engine
