#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> describe_backup(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const std::string backup = read_backup_arn(in, "BackupArn", Presence::Required);
  TAVOLA_CHECK(problems.check());
  const Result<DescribeBackupResponse> response = call.database.describe_backup({backup});
  if (!response) return fail(backup_error(call.server, backup, response.error()));
  return write_backup(response->backup, call.server);
}

}  // namespace tavola::wire
