// Requests of backups and point-in-time recovery as a client sends them, and their responses. On the wire a backup has an ARN: `arns` is
// the part of every ARN of the server that ends with "table/"; a Database uses the rest.
#pragma once

#include <string>

#include <tavola/backups.h>
#include <tavola/error.h>

#include "wire/codec/json.h"

namespace tavola::wire {

std::string to_json(const CreateBackupRequest& request);
std::string backup_body(const std::string& arns, const std::string& backup);  // DescribeBackup, DeleteBackup
std::string list_backups_body(const std::string& arns, const ListBackupsRequest& request);
std::string restore_body(const std::string& arns, const RestoreTableFromBackupRequest& request);
std::string to_json(const RestoreTableToPointInTimeRequest& request);
std::string to_json(const UpdateContinuousBackupsRequest& request);

Result<CreateBackupResponse> read_created_backup(JsonValue body);
Result<BackupDescription> read_backup(JsonValue body);
Result<ListBackupsResponse> read_backups(JsonValue body);
Result<ContinuousBackupsResponse> read_continuous_backups(JsonValue body);

}  // namespace tavola::wire
