#include "engine/backups/recovery.h"

#include <algorithm>

#include "database/constraints.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/records/change_number.h"

namespace tavola::engine {

Result<void> check_recovery(const UpdateContinuousBackupsRequest& request) {
  Constraints constraints;
  constexpr std::string_view kDays = "pointInTimeRecoverySpecification.recoveryPeriodInDays";
  constraints.check_at_least(1, request.recovery_days, kDays);
  constraints.check_at_most(kRecoveryDaysMax, request.recovery_days, kDays);
  TAVOLA_CHECK(constraints.check());
  if (!request.enabled && request.recovery_days) {
    return fail(Error::validation(
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."));
  }
  return {};
}

namespace {

// Returns the first time for which the log is complete: the numbers of older changes may be later than the clock, if
// that was set back.
WallTime first_moment(store::RuleReads& reads, TableId table, WallTime now) {
  const std::uint64_t end = end_of_log(reads, table);
  return end == 0 ? now : std::max(now, moment_of(end - 1) + std::chrono::milliseconds(1));
}

}  // namespace

// Runs while no write to the table is running: so the log is complete from `since` on. If the period is extended, it
// does not reach further back yet: older changes were already removed.
Catalog::Change recovery_change(const UpdateContinuousBackupsRequest& request, WallTime now) {
  return [&request, now](Catalog::TableChange& change) -> Result<void> {
    std::optional<PointInTimeRecovery>& recovery = change.description.recovery;
    if (!request.enabled) {
      recovery.reset();
      return {};
    }
    const int days = request.recovery_days.value_or(kRecoveryDaysMax);
    if (!recovery) {
      recovery = PointInTimeRecovery{.since = first_moment(change.reads, change.table.id, now), .days = days};
    }
    recovery->since = std::max(recovery->since, now - std::chrono::days(recovery->days));
    recovery->days = days;
    return {};
  };
}

ContinuousBackups continuous_backups(const TableDescription& table, WallTime now) {
  ContinuousBackups backups{.recovery = table.recovery};
  if (!table.recovery) return backups;
  backups.earliest = std::max(table.recovery->since, now - std::chrono::days(table.recovery->days));
  backups.latest = std::max(table.recovery->since, now);  // the clock may have been set back
  return backups;
}

Error backed_up_table_not_found(std::string_view table_name) {
  return {ErrorCode::TableNotFound, "Table not found: " + std::string(table_name)};
}

Result<SchemaPtr> find_backed_up_table(Catalog& catalog, std::string_view table_name) {
  TAVOLA_TRY(SchemaPtr schema, catalog.find(table_name));
  if (!schema || schema->description.status == TableStatus::Creating) {
    return fail(backed_up_table_not_found(table_name));
  }
  return schema;
}

}  // namespace tavola::engine
