#include "wire/client/backup_messages.h"

#include "wire/client/answer_parts.h"
#include "wire/codec/created_table.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

void write_overrides(json::Writer& json, const RestoreOverrides& overrides) {
  if (overrides.billing_mode) json.name("BillingModeOverride").text(enum_name(*overrides.billing_mode));
  if (const auto& indexes = overrides.global_indexes) {
    json.name("GlobalSecondaryIndexOverride").begin_list();
    for (const GlobalIndex& index : *indexes) write_global_index(json, index);
    json.end_list();
  }
  if (const auto& indexes = overrides.local_indexes) {
    json.name("LocalSecondaryIndexOverride").begin_list();
    for (const LocalIndex& index : *indexes) write_local_index(json, index);
    json.end_list();
  }
  if (const auto& throughput = overrides.throughput) {
    json.name("ProvisionedThroughputOverride").begin_object();
    json.name("ReadCapacityUnits").integer(throughput->read_units);
    json.name("WriteCapacityUnits").integer(throughput->write_units);
    json.end_object();
  }
  if (const auto& limits = overrides.on_demand_limits) {
    json.name("OnDemandThroughputOverride").begin_object();
    if (limits->read_units) json.name("MaxReadRequestUnits").integer(*limits->read_units);
    if (limits->write_units) json.name("MaxWriteRequestUnits").integer(*limits->write_units);
    json.end_object();
  }
}

void read_details(const Fields& in, BackupDescription& backup) {
  backup.backup = part_of_arn(in, "BackupArn");
  backup.name = text_in(in, "BackupName");
  backup.size_bytes = in.integer("BackupSizeBytes", kLong).value_or(0);
  backup.status = one_of_or(in, "BackupStatus", BackupStatus::Available);
  backup.type = one_of_or(in, "BackupType", BackupType::User);
  backup.created_at = time_in(in, "BackupCreationDateTime").value_or(WallTime());
  backup.expires_at = time_in(in, "BackupExpiryDateTime");
}

// SourceTableDetails and SourceTableFeatureDetails: the table as of the backup.
void read_source(const Fields& details, TableDescription& table) {
  table.table_name = text_in(details, "TableName");
  table.table_id = text_in(details, "TableId");
  table.created_at = time_in(details, "TableCreationDateTime").value_or(WallTime());
  table.key_schema = read_key_schema(details);
  table.billing_mode = one_of_or(details, "BillingMode", BillingMode::Provisioned);
  table.throughput = read_provisioned(details);
  table.on_demand_limits = read_on_demand(details);
  table.item_count = details.integer("ItemCount", kLong).value_or(0);
  table.size_bytes = details.integer("TableSizeBytes", kLong).value_or(0);
}

void read_features(const Fields& features, TableDescription& table) {
  table.global_indexes = read_described_indexes<GlobalIndex>(features, "GlobalSecondaryIndexes");
  table.local_indexes = read_described_indexes<LocalIndex>(features, "LocalSecondaryIndexes");
  if (const auto stream = features.structure("StreamDescription", "StreamSpecification"))
    table.stream = stream->one_of<StreamView>("StreamViewType");
  if (const auto life = features.structure("TimeToLiveDescription", "TimeToLiveDescription"))
    table.time_to_live_attribute = life->text("AttributeName");
}

}  // namespace

std::string to_json(const CreateBackupRequest& request) {
  return object([&request](json::Writer& json) {
    json.name("TableName").text(request.table_name);
    json.name("BackupName").text(request.backup_name);
  });
}

std::string backup_body(const std::string& arns, const std::string& backup) {
  return object([&](json::Writer& json) { json.name("BackupArn").text(arns + backup); });
}

std::string list_backups_body(const std::string& arns, const ListBackupsRequest& request) {
  return object([&](json::Writer& json) {
    if (!request.table_name.empty()) json.name("TableName").text(request.table_name);
    if (request.limit) json.name("Limit").integer(*request.limit);
    write_time_member(json, "TimeRangeLowerBound", request.from);
    write_time_member(json, "TimeRangeUpperBound", request.to);
    if (!request.exclusive_start_backup.empty())
      json.name("ExclusiveStartBackupArn").text(arns + request.exclusive_start_backup);
    json.name("BackupType").text(enum_name(request.type));
  });
}

std::string restore_body(const std::string& arns, const RestoreTableFromBackupRequest& request) {
  return object([&](json::Writer& json) {
    json.name("TargetTableName").text(request.target_table_name);
    json.name("BackupArn").text(arns + request.backup);
    write_overrides(json, request.overrides);
  });
}

std::string to_json(const RestoreTableToPointInTimeRequest& request) {
  return object([&request](json::Writer& json) {
    json.name("SourceTableName").text(request.source_table_name);
    json.name("TargetTableName").text(request.target_table_name);
    if (request.latest) json.name("UseLatestRestorableTime").boolean(true);
    write_time_member(json, "RestoreDateTime", request.moment);
    write_overrides(json, request.overrides);
  });
}

std::string to_json(const UpdateContinuousBackupsRequest& request) {
  return object([&request](json::Writer& json) {
    json.name("TableName").text(request.table_name);
    json.name("PointInTimeRecoverySpecification").begin_object();
    json.name("PointInTimeRecoveryEnabled").boolean(request.enabled);
    if (request.recovery_days) json.name("RecoveryPeriodInDays").integer(*request.recovery_days);
    json.end_object();
  });
}

Result<CreateBackupResponse> read_created_backup(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields details, required_structure(in, "BackupDetails"));
  CreateBackupResponse response;
  read_details(details, response.backup);
  response.backup.table.table_name = table_of_part(response.backup.backup);
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<BackupDescription> read_backup(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required_structure(in, "BackupDescription"));
  BackupDescription backup;
  if (const auto details = fields.structure("BackupDetails", "BackupDetails")) read_details(*details, backup);
  if (const auto source = fields.structure("SourceTableDetails", "SourceTableDetails"))
    read_source(*source, backup.table);
  if (const auto features = fields.structure("SourceTableFeatureDetails", "SourceTableFeatureDetails"))
    read_features(*features, backup.table);
  TAVOLA_CHECK(problems.check());
  return backup;
}

Result<ListBackupsResponse> read_backups(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  ListBackupsResponse response;
  for (const Fields& summary :
       in.structures("BackupSummaries", "BackupSummary").value_or(std::vector<Fields>())) {
    BackupDescription& backup = response.backups.emplace_back();
    read_details(summary, backup);
    backup.table.table_name = text_in(summary, "TableName");
    backup.table.table_id = text_in(summary, "TableId");
  }
  response.last_evaluated_backup = part_of_arn(in, "LastEvaluatedBackupArn");
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<ContinuousBackupsResponse> read_continuous_backups(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required_structure(in, "ContinuousBackupsDescription"));
  ContinuousBackupsResponse response;
  const auto recovery = fields.structure("PointInTimeRecoveryDescription", "PointInTimeRecoveryDescription");
  if (recovery && recovery->text("PointInTimeRecoveryStatus") == "ENABLED") {
    ContinuousBackups& backups = response.backups;
    backups.earliest = time_in(*recovery, "EarliestRestorableDateTime").value_or(WallTime());
    backups.latest = time_in(*recovery, "LatestRestorableDateTime").value_or(WallTime());
    PointInTimeRecovery& switched_on = backups.recovery.emplace();
    switched_on.since = backups.earliest;  // the wire does not tell more
    switched_on.days =
        static_cast<int>(recovery->integer("RecoveryPeriodInDays", kInteger).value_or(switched_on.days));
  }
  TAVOLA_CHECK(problems.check());
  return response;
}

}  // namespace tavola::wire
