#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

// AWS_BACKUP selects the backups of another AWS service: there are none.
struct WantedType {
  BackupTypeFilter type = BackupTypeFilter::User;
  bool is_none = false;
};

WantedType read_type(const Fields& in) {
  const auto given = in.text("BackupType");
  if (!given) return {};
  if (*given == "AWS_BACKUP") return {.is_none = true};
  if (const auto type = find_enum<BackupTypeFilter>(*given)) return {.type = *type};
  in.problems().constraints().add_broken(*given, in.path_of("BackupType"),
                                         "satisfy enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]");
  return {};
}

}  // namespace

Result<std::string> list_backups(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  ListBackupsRequest request;
  if (in.has("TableName")) request.table_name = in.table_name();
  if (const auto limit = in.integer("Limit", kInteger, {.least = 1, .most = 100}))
    request.limit = static_cast<int>(*limit);
  request.from = read_time(in, "TimeRangeLowerBound");
  request.to = read_time(in, "TimeRangeUpperBound");
  request.exclusive_start_backup = read_backup_arn(in, "ExclusiveStartBackupArn");
  const WantedType wanted = read_type(in);
  request.type = wanted.type;
  TAVOLA_CHECK(problems.check());
  ListBackupsResponse response;
  TAVOLA_TRY(response, call.database.list_backups(request));
  if (wanted.is_none) response = {};
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("BackupSummaries").begin_list();
  for (const BackupDescription& backup : response.backups) {
    json.begin_object();
    write_backup_details(json, backup, call.server);
    json.name("TableArn").text(table_arn(call.server, backup.table.table_name));
    json.name("TableId").text(backup.table.table_id);
    json.name("TableName").text(backup.table.table_name);
    json.end_object();
  }
  json.end_list();
  if (!response.last_evaluated_backup.empty())
    json.name("LastEvaluatedBackupArn").text(table_arn(call.server, response.last_evaluated_backup));
  json.end_object();
  return out;
}

}  // namespace tavola::wire
