// What the operations on backups share. A backup has an ARN here; a Database knows it by what stands behind "table/":
// arn:aws:dynamodb:<region>:<account>:table/<table>/backup/<id>, of any region and account, as with tables.
#pragma once

#include <string>
#include <string_view>

#include <tavola/backups.h>

#include "json/writer.h"
#include "wire/codec/fields.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

// A member that names a backup, as the Database calls it; empty when it is absent. An ARN of something else is remembered as a bad
// value.
std::string read_backup_arn(const Fields& in, std::string_view name, Presence presence = Presence::Optional);
// A moment, in seconds since 1970 with their fraction.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>> read_time(const Fields& in,
                                                                          std::string_view name);
// The overrides of both restores; `encryption` fails when one is asked for that Tavola does not have.
RestoreOverrides read_overrides(const Fields& in, Result<void>& encryption);

// An error of the Database, which calls the backup by its ARN.
Error backup_error(const ServerIdentity& server, std::string_view backup, const Error& error);

// {"BackupArn": …}: an object.
void write_backup_details(json::Writer& json, const BackupDescription& backup, const ServerIdentity& server);
// {"BackupDescription": …}: the response of DescribeBackup and DeleteBackup.
std::string write_backup(const BackupDescription& backup, const ServerIdentity& server);
// {"ContinuousBackupsDescription": …}
std::string write_continuous_backups(const ContinuousBackups& backups);

}  // namespace tavola::wire
