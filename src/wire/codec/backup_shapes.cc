#include "wire/codec/backup_shapes.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "wire/codec/created_table.h"
#include "wire/codec/shapes.h"
#include "wire/codec/stream_shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

constexpr Lengths kBackupArnLengths{37, 1024};

std::optional<Throughput> read_throughput_override(const Fields& in) {
  const auto fields = in.structure("ProvisionedThroughputOverride", "ProvisionedThroughput");
  if (!fields) return std::nullopt;
  const auto write = fields->integer("WriteCapacityUnits", kLong, {.least = 1}, Presence::Required);
  const auto read = fields->integer("ReadCapacityUnits", kLong, {.least = 1}, Presence::Required);
  return Throughput{read.value_or(1), write.value_or(1)};
}

std::optional<OnDemandLimits> read_limits_override(const Fields& in) {
  const auto fields = in.structure("OnDemandThroughputOverride", "OnDemandThroughput");
  if (!fields) return std::nullopt;
  return OnDemandLimits{.read_units = fields->integer("MaxReadRequestUnits", kLong),
                        .write_units = fields->integer("MaxWriteRequestUnits", kLong)};
}

LocalIndex read_local_index(const Fields& in) {
  LocalIndex index;
  index.name = in.name("IndexName", Presence::Required).value_or(std::string());
  index.key_schema = read_key_schema(in);
  index.projection = read_projection(in);
  return index;
}

Result<void> refuse_encryption_override(const Fields& in) {
  const auto fields = in.structure("SSESpecificationOverride", "SSESpecification");
  if (!fields || !fields->boolean("Enabled").value_or(false)) return {};
  return refuse(in, {"SSESpecificationOverride"});
}

void write_units(json::Writer& json, const std::optional<Throughput>& throughput) {
  json.name("ProvisionedThroughput").begin_object();
  json.name("ReadCapacityUnits").integer(throughput ? throughput->read_units : 0);
  json.name("WriteCapacityUnits").integer(throughput ? throughput->write_units : 0);
  json.end_object();
}

void write_source(json::Writer& json, const TableDescription& table, const ServerIdentity& server) {
  json.name("SourceTableDetails").begin_object();
  json.name("BillingMode").text(enum_name(table.billing_mode));
  json.name("ItemCount").integer(table.item_count);
  write_key_schema(json, table.key_schema);
  if (const auto& limits = table.on_demand_limits) {
    json.name("OnDemandThroughput").begin_object();
    if (limits->read_units) json.name("MaxReadRequestUnits").integer(*limits->read_units);
    if (limits->write_units) json.name("MaxWriteRequestUnits").integer(*limits->write_units);
    json.end_object();
  }
  write_units(json, table.throughput);
  json.name("TableArn").text(table_arn(server, table.table_name));
  json.name("TableCreationDateTime");
  write_time(json, table.created_at);
  json.name("TableId").text(table.table_id);
  json.name("TableName").text(table.table_name);
  json.name("TableSizeBytes").integer(table.size_bytes);
  json.end_object();
}

template <class Index>
void write_index_infos(json::Writer& json, std::string_view name, const std::vector<Index>& indexes) {
  if (indexes.empty()) return;
  json.name(name).begin_list();
  for (const Index& index : indexes) {
    json.begin_object();
    json.name("IndexName").text(index.name);
    write_key_schema(json, index.key_schema);
    write_projection(json, index.projection);
    if constexpr (std::is_same_v<Index, GlobalIndex>) write_units(json, index.throughput);
    json.end_object();
  }
  json.end_list();
}

// Empty for a system backup, as on AWS.
void write_features(json::Writer& json, const BackupDescription& backup) {
  json.name("SourceTableFeatureDetails").begin_object();
  if (backup.type == BackupType::User) {
    const TableDescription& table = backup.table;
    write_index_infos(json, "GlobalSecondaryIndexes", table.global_indexes);
    write_index_infos(json, "LocalSecondaryIndexes", table.local_indexes);
    if (table.stream) {
      json.name("StreamDescription").begin_object();
      json.name("StreamEnabled").boolean(true);
      json.name("StreamViewType").text(enum_name(*table.stream));
      json.end_object();
    }
    if (table.time_to_live_attribute) {
      json.name("TimeToLiveDescription").begin_object();
      json.name("AttributeName").text(*table.time_to_live_attribute);
      json.name("TimeToLiveStatus").text("ENABLED");
      json.end_object();
    }
  }
  json.end_object();
}

// In whole seconds, as on AWS.
void write_second(json::Writer& json, WallTime time) {
  json.integer(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
}

}  // namespace

std::string read_backup_arn(const Fields& in, std::string_view name, Presence presence) {
  const std::string arn = read_sized_text(in, name, kBackupArnLengths, presence);
  if (arn.empty()) return {};
  const auto backup = resource_in_arn(arn);
  if (!backup || !backup->contains("/backup/")) {
    in.problems().bad_value(Error::validation("Invalid Backup ARN"));
    return {};
  }
  return std::string(*backup);
}

std::optional<WallTime> read_time(const Fields& in, std::string_view name) {
  constexpr double kSecondsMax = 1e11;  // beyond the year 5000
  const auto value = in.find(name);
  if (!value) return std::nullopt;
  if (value->type() != JsonType::Integer && value->type() != JsonType::Decimal) {
    static_cast<void>(in.integer(name, kLong));  // reports the wrong type
    return std::nullopt;
  }
  const std::string text = value->to_text();
  double seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  seconds = std::clamp(seconds, 0.0, kSecondsMax);
  return std::chrono::sys_time(std::chrono::milliseconds(std::llround(seconds * 1000)));
}

RestoreOverrides read_overrides(const Fields& in, Result<void>& encryption) {
  RestoreOverrides overrides;
  overrides.billing_mode = in.one_of<BillingMode>("BillingModeOverride");
  if (const auto indexes = in.structures("GlobalSecondaryIndexOverride", "GlobalSecondaryIndex")) {
    overrides.global_indexes.emplace();
    for (const Fields& index : *indexes) overrides.global_indexes->push_back(read_global_index(index));
  }
  if (const auto indexes = in.structures("LocalSecondaryIndexOverride", "LocalSecondaryIndex")) {
    overrides.local_indexes.emplace();
    for (const Fields& index : *indexes) overrides.local_indexes->push_back(read_local_index(index));
  }
  overrides.throughput = read_throughput_override(in);
  overrides.on_demand_limits = read_limits_override(in);
  encryption = refuse_encryption_override(in);
  return overrides;
}

Error backup_error(const ServerIdentity& server, std::string_view backup, const Error& error) {
  std::string message = error.message();
  const std::size_t at = backup.empty() ? std::string::npos : message.find(backup);
  if (at == std::string::npos) return error;
  message.replace(at, backup.size(), table_arn(server, backup));
  return {error.code(), std::move(message)};
}

void write_backup_details(json::Writer& json, const BackupDescription& backup, const ServerIdentity& server) {
  json.name("BackupArn").text(table_arn(server, backup.backup));
  json.name("BackupCreationDateTime");
  write_time(json, backup.created_at);
  if (backup.expires_at) {
    json.name("BackupExpiryDateTime");
    write_time(json, *backup.expires_at);
  }
  json.name("BackupName").text(backup.name);
  json.name("BackupSizeBytes").integer(backup.size_bytes);
  json.name("BackupStatus").text(enum_name(backup.status));
  json.name("BackupType").text(enum_name(backup.type));
}

std::string write_backup(const BackupDescription& backup, const ServerIdentity& server) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("BackupDescription").begin_object();
  json.name("BackupDetails").begin_object();
  write_backup_details(json, backup, server);
  json.end_object();
  write_source(json, backup.table, server);
  write_features(json, backup);
  json.end_object();
  json.end_object();
  return out;
}

std::string write_continuous_backups(const ContinuousBackups& backups) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ContinuousBackupsDescription").begin_object();
  json.name("ContinuousBackupsStatus").text("ENABLED");  // for every table; the next member is the switch
  json.name("PointInTimeRecoveryDescription").begin_object();
  if (backups.recovery) {
    json.name("EarliestRestorableDateTime");
    write_second(json, backups.earliest);
    json.name("LatestRestorableDateTime");
    write_second(json, backups.latest);
    json.name("RecoveryPeriodInDays").integer(backups.recovery->days);
  }
  json.name("PointInTimeRecoveryStatus").text(backups.recovery ? "ENABLED" : "DISABLED");
  json.end_object();
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace tavola::wire
