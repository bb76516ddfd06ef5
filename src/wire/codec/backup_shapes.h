// Shared by the operations on backups. A backup has an ARN here; a Database uses the part after "table/":
// arn:aws:dynamodb:<region>:<account>:table/<table>/backup/<id>, with any region and account, as for tables.
#pragma once

#include <string>
#include <string_view>

#include <tavola/backups.h>

#include "json/writer.h"
#include "wire/codec/fields.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

// Reads a member that names a backup, as a Database names it; empty if it is absent. An ARN of something else is
// recorded as a bad value.
std::string read_backup_arn(const Fields& in, std::string_view name, Presence presence = Presence::Optional);
// A time, in seconds since 1970 with a fraction.
std::optional<WallTime> read_time(const Fields& in, std::string_view name);
// Reads the overrides of both restores; `encryption` fails if the request asks for one that Tavola does not have.
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
