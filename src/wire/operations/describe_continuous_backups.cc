#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> describe_continuous_backups(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const std::string table = in.table_name();
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ContinuousBackupsResponse response, call.database.describe_continuous_backups({table}));
  return write_continuous_backups(response.backups);
}

}  // namespace tavola::wire
