#include "wire/codec/backup_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

// Returns the table that one of two members names.
Result<std::string> source_of(const std::optional<std::string>& name, const std::optional<std::string>& arn) {
  if (name && arn) {
    return fail(
        Error::validation("Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName"));
  }
  if (!arn) return name.value_or(std::string());
  const std::string_view table = table_in_arn(*arn);
  if (table == *arn) {
    return fail(Error::validation("Invalid Request: sourceTableArn is not a valid ARN"));
  }
  return std::string(table);
}

}  // namespace

Result<std::string> restore_table_to_point_in_time(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  RestoreTableToPointInTimeRequest request;
  Result<void> encryption;
  const auto arn = in.text("SourceTableArn");
  const auto name = in.name("SourceTableName");
  request.target_table_name = in.name("TargetTableName", Presence::Required).value_or(std::string());
  request.latest = in.boolean("UseLatestRestorableTime").value_or(false);
  request.moment = read_time(in, "RestoreDateTime");
  request.overrides = read_overrides(in, encryption);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(encryption);
  TAVOLA_TRY(request.source_table_name, source_of(name, arn));
  TAVOLA_TRY(const RestoreTableResponse response, call.database.restore_table_to_point_in_time(request));
  return write_table("TableDescription", response.table, call.server);
}

}  // namespace tavola::wire
