// Continuous backups: while a table's recovery is switched on, its change log keeps what is needed to undo every change
// (change_log.h), and so far back as was asked for.
#pragma once

#include <tavola/backups.h>

#include "base/clock.h"
#include "engine/catalog/catalog.h"

namespace tavola::engine {

inline constexpr int kRecoveryDaysMax = 35;

// UpdateContinuousBackups: what is wrong with the request itself, and what it does, for Catalog::update.
Result<void> check_recovery(const UpdateContinuousBackupsRequest& request);
Catalog::Change recovery_change(const UpdateContinuousBackupsRequest& request, const store::Store& store,
                                const Clock& clock);

// What a table can be restored to at this moment.
ContinuousBackups continuous_backups(const TableDescription& table, WallTime now);

// Of operations on backups, which have words of their own for a table that is not there, or not yet.
Error backed_up_table_not_found(std::string_view table_name);
Result<SchemaPtr> find_backed_up_table(Catalog& catalog, std::string_view table_name);

}  // namespace tavola::engine
