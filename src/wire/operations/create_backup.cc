#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> create_backup(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  CreateBackupRequest request;
  request.table_name = in.table_name();
  request.backup_name = in.name("BackupName", Presence::Required).value_or(std::string());
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const CreateBackupResponse response, call.database.create_backup(request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("BackupDetails").begin_object();
  write_backup_details(json, response.backup, call.server);
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace tavola::wire
