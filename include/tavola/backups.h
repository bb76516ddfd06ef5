// Backups of tables and point-in-time recovery: typed requests and responses.
//
//   CreateBackup ──▶ a checkpoint of the store ──▶ RestoreTableFromBackup
//   UpdateContinuousBackups ──▶ the table's change log is kept ──▶ RestoreTableToPointInTime: today's table, its changes undone
//
// A restored table is a new table. It gets the items, keys and indexes of the old one; its time to live, tags, stream,
// policy and design are not restored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/requests.h>
#include <tavola/time.h>

namespace tavola {

enum class BackupStatus : std::uint8_t { Creating, Deleted, Available };
// System backups are made automatically when a table with continuous backups is deleted.
enum class BackupType : std::uint8_t { User, System };

// A backup is called "<table name>/backup/<id>"; on the wire that follows "arn:aws:dynamodb:<region>:<account>:table/".
struct BackupDescription {
  std::string backup{};
  std::string name{};
  std::int64_t size_bytes = 0;
  BackupStatus status = BackupStatus::Available;
  BackupType type = BackupType::User;
  WallTime created_at{};
  std::optional<WallTime> expires_at{};  // System backups only
  TableDescription table{};              // as of the backup
};

struct CreateBackupRequest {
  std::string table_name{};
  std::string backup_name{};
};
struct CreateBackupResponse {
  BackupDescription backup{};
};

struct DescribeBackupRequest {
  std::string backup{};
};
struct DescribeBackupResponse {
  BackupDescription backup{};
};

struct DeleteBackupRequest {
  std::string backup{};
};
struct DeleteBackupResponse {
  BackupDescription backup{};  // with BackupStatus::Deleted
};

enum class BackupTypeFilter : std::uint8_t { User, System, All };

struct ListBackupsRequest {
  std::string table_name{};        // empty: all tables
  std::optional<int> limit{};      // 1 to 100
  std::optional<WallTime> from{};  // inclusive
  std::optional<WallTime> to{};    // exclusive
  std::string exclusive_start_backup{};
  BackupTypeFilter type = BackupTypeFilter::User;
};
struct ListBackupsResponse {
  std::vector<BackupDescription> backups{};
  std::string last_evaluated_backup{};  // empty at the end
};

// Settings that a restored table gets instead of those of its source.
struct RestoreOverrides {
  std::optional<BillingMode> billing_mode{};
  std::optional<Throughput> throughput{};
  std::optional<OnDemandLimits> on_demand_limits{};
  std::optional<std::vector<GlobalIndex>> global_indexes{};  // all, some or none of the source's
  std::optional<std::vector<LocalIndex>> local_indexes{};
};

struct RestoreTableFromBackupRequest {
  std::string backup{};
  std::string target_table_name{};
  RestoreOverrides overrides{};
};
struct RestoreTableResponse {
  TableDescription table{};
};
using RestoreTableFromBackupResponse = RestoreTableResponse;

struct ContinuousBackups {
  std::optional<PointInTimeRecovery> recovery{};  // nullopt: switched off
  // The restorable period if recovery is switched on, both ends inclusive.
  WallTime earliest{};
  WallTime latest{};
};

struct UpdateContinuousBackupsRequest {
  std::string table_name{};
  bool enabled = false;
  std::optional<int> recovery_days{};  // 1 to 35; default 35
};
struct DescribeContinuousBackupsRequest {
  std::string table_name{};
};
struct ContinuousBackupsResponse {
  ContinuousBackups backups{};
};
using UpdateContinuousBackupsResponse = ContinuousBackupsResponse;
using DescribeContinuousBackupsResponse = ContinuousBackupsResponse;

struct RestoreTableToPointInTimeRequest {
  std::string source_table_name{};
  std::string target_table_name{};
  bool latest = false;  // UseLatestRestorableTime; otherwise `moment` is given
  std::optional<WallTime> moment{};
  RestoreOverrides overrides{};
};
using RestoreTableToPointInTimeResponse = RestoreTableResponse;

}  // namespace tavola
