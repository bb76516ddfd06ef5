#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

Result<std::string> restore_table_from_backup(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  RestoreTableFromBackupRequest request;
  Result<void> encryption;
  request.target_table_name = in.name("TargetTableName", Presence::Required).value_or(std::string());
  request.backup = read_backup_arn(in, "BackupArn", Presence::Required);
  request.overrides = read_overrides(in, encryption);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(encryption);
  const Result<RestoreTableResponse> response = call.database.restore_table_from_backup(request);
  if (!response) return fail(backup_error(call.server, request.backup, response.error()));
  return write_table("TableDescription", response->table, call.server);
}

}  // namespace tavola::wire
