#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> update_continuous_backups(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  UpdateContinuousBackupsRequest request;
  request.table_name = in.table_name();
  if (const auto fields = in.structure("PointInTimeRecoverySpecification", "PointInTimeRecoverySpecification",
                                       Presence::Required)) {
    request.enabled = fields->boolean("PointInTimeRecoveryEnabled").value_or(false);
    if (!fields->has("PointInTimeRecoveryEnabled"))
      problems.constraints().add_missing(fields->path_of("PointInTimeRecoveryEnabled"));
    if (const auto days = fields->integer("RecoveryPeriodInDays", kInteger, {.least = 1, .most = 35}))
      request.recovery_days = static_cast<int>(*days);
  }
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ContinuousBackupsResponse response, call.database.update_continuous_backups(request));
  return write_continuous_backups(response.backups);
}

}  // namespace tavola::wire
