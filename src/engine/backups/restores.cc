#include "engine/backups/restores.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/timestamps.h"
#include "database/constraints.h"
#include "database/names.h"
#include "engine/backups/recovery.h"
#include "engine/backups/restore_job.h"
#include "engine/catalog/tables.h"
#include "engine/checks/messages.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

Error invalid_request(const std::string& why) { return Error::validation("Invalid Request: " + why); }

// ---- Overrides ----

template <class Index>
Result<void> check_override(const Index& wanted, const std::vector<Index>& existing) {
  const bool matches = std::ranges::any_of(existing, [&wanted](const Index& index) {
    return index.key_schema == wanted.key_schema && index.projection == wanted.projection;
  });
  if (matches) return {};
  return fail(invalid_request("Index " + wanted.name +
                              " does not match a secondary index that existed in the source table and cannot "
                              "be created during the restore operation"));
}

Result<void> check_capacity(const TableDescription& source, const RestoreOverrides& overrides) {
  const BillingMode mode = overrides.billing_mode.value_or(source.billing_mode);
  const bool is_provisioned = mode == BillingMode::Provisioned;
  if (overrides.throughput && !is_provisioned) {
    return fail(invalid_request(
        overrides.billing_mode
            ? "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
            : "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED"));
  }
  if (overrides.billing_mode && is_provisioned && !overrides.throughput) {
    return fail(
        invalid_request("Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"));
  }
  if (overrides.on_demand_limits && is_provisioned) {
    return fail(invalid_request(
        "Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is "
        "PAY_PER_REQUEST"));
  }
  return {};
}

Result<void> check_index_capacity(const GlobalIndex& index, BillingMode mode) {
  if (mode == BillingMode::Provisioned && !index.throughput) {
    return fail(invalid_request("Must specify provisioned throughput for index " + index.name));
  }
  if (mode == BillingMode::PayPerRequest && index.throughput) {
    return fail(invalid_request(
        "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index " +
        index.name));
  }
  return {};
}

Result<void> override_indexes(const TableDescription& source, const RestoreOverrides& overrides,
                              CreateTableRequest& table) {
  if (overrides.global_indexes) {
    for (const GlobalIndex& index : *overrides.global_indexes) {
      TAVOLA_CHECK(check_override(index, source.global_indexes));
      TAVOLA_CHECK(check_index_capacity(index, table.billing_mode));
    }
    table.global_indexes = *overrides.global_indexes;
  }
  if (overrides.local_indexes) {
    for (const LocalIndex& index : *overrides.local_indexes)
      TAVOLA_CHECK(check_override(index, source.local_indexes));
    table.local_indexes = *overrides.local_indexes;
  }
  return {};
}

// Keeps only the definitions of key attributes.
void drop_spare_definitions(CreateTableRequest& table) {
  std::erase_if(table.attribute_definitions, [&table](const AttributeDefinition& definition) {
    const auto uses = [&definition](const auto& part) {
      return std::ranges::find(part.key_schema, definition.name, &KeySchemaElement::name) !=
             part.key_schema.end();
    };
    return !uses(table) && std::ranges::none_of(table.global_indexes, uses) &&
           std::ranges::none_of(table.local_indexes, uses);
  });
}

// ---- The new table ----

Error already_exists(const TableDescription& table) {
  const auto& from = table.restored_from;
  if (!from) return {ErrorCode::TableAlreadyExists, "Table already exists: " + table.table_name};
  return {ErrorCode::TableInUse,
          "Table: " + table.table_name + " is already being restored from " +
              (from->backup.empty() ? "table: " + from->table_name : "backup: " + from->backup)};
}

Result<void> check_target(Catalog& catalog, const std::string& table_name) {
  TAVOLA_TRY(const SchemaPtr existing, catalog.find(table_name));
  if (existing) return fail(already_exists(existing->description));
  return {};
}

Result<void> check_names(const std::string& source, const std::string& target) {
  Constraints constraints;
  if (!source.empty()) check_name(constraints, source, "sourceTableName");
  check_name(constraints, target, "targetTableName");
  return constraints.check();
}

// The source of a restore, and its parameters.
struct Plan {
  TableDescription table{};  // the new one
  RestoredFrom from{};
  RestoreJob job{};
  std::string backup_key{};  // of a backup: it must exist, and no other restore may read it
};

Result<RestoreTableResponse> begin(const BackupContext& context, Plan plan) {
  plan.table.table_id = make_uuid(context.random);
  plan.table.created_at = context.clock.now();
  if (plan.table.billing_mode == BillingMode::PayPerRequest)
    plan.table.on_demand_since = plan.table.created_at;
  plan.table.restored_from = plan.from;
  plan.job.table = plan.table.table_name;
  const auto beginning = [&](TableId id, store::RuleReads& reads,
                             std::vector<store::Write>& also) -> Result<void> {
    const std::string& backup = plan.from.backup;
    if (!plan.backup_key.empty()) {
      const auto record = reads.find(plan.backup_key);
      if (record && !*record) return fail(Error(ErrorCode::BackupNotFound, "Backup not found: " + backup));
      TAVOLA_TRY(const bool is_read, is_being_read(reads, plan.job.shelf_id));
      if (is_read) {
        return fail(
            Error(ErrorCode::BackupInUse, "Backup is being used to restore another table: " + backup));
      }
    }
    TAVOLA_TRY(std::string record, encode_restore(plan.job));
    also.push_back(store::Write::put(job_key(id, kRestoreJob), std::move(record)));
    return {};
  };
  const Result<SchemaPtr> created = context.catalog.create(plan.table, {}, beginning);
  if (!created && created.error().code() == ErrorCode::ResourceInUse) {
    TAVOLA_CHECK(check_target(context.catalog, plan.table.table_name));
  }
  if (!created) return fail(created.error());
  RestoreTableResponse response{(*created)->description};
  for (const IndexSchema& index : (*created)->indexes)
    response.table.index_statistics.try_emplace(index.name);
  return response;
}

// ---- Point in time ----

Result<void> check_moment(const RestoreTableToPointInTimeRequest& request) {
  if (request.latest && request.moment) {
    return fail(invalid_request(
        "Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. "
        "Please specify either RestoreDateTime time or UseLatestRestorableTime"));
  }
  if (!request.latest && !request.moment) {
    return fail(invalid_request(
        "Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both"));
  }
  return {};
}

// AWS's clients send times in seconds: the second in which recovery was switched on means that time.
Result<WallTime> moment_in(const ContinuousBackups& backups, WallTime wanted) {
  const WallTime first_second = std::chrono::floor<std::chrono::seconds>(backups.earliest);
  if (wanted >= first_second && wanted <= backups.latest) return std::max(wanted, backups.earliest);
  return fail(Error(ErrorCode::InvalidRestoreTime,
                    "RestoreDateTime '" + iso8601(wanted) + "' must be within EarliestRestorableDateTime '" +
                        iso8601(backups.earliest) + "' and LatestRestorableDateTime '" +
                        iso8601(backups.latest) + "'"));
}

// From now on every write to the table gets a number after `moment`, and every earlier one is visible: a writer that
// read the clock before and has not committed yet gets a number after the one assigned here.
Result<void> settle(const BackupContext& context, const TableSchema& source, WallTime moment) {
  const std::array keys{catalog_key(source.description.table_name)};
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    if (view[0] != std::optional<std::string_view>(source.record))
      return fail(Error(ErrorCode::Stale, "the table changed"));
    const std::uint64_t behind = first_number(moment + std::chrono::milliseconds(1));
    return store::Decision{{store::Write::append(changes_prefix(source.id, kMarksShard), behind, "")}, {}};
  };
  return context.store.transact(keys, {}, rule);
}

// The newest change may be later than the clock, if that was set back.
Result<WallTime> latest_moment(const store::Store& store, TableId table, WallTime now) {
  WallTime latest = now;
  const auto snapshot = store.snapshot();
  for (std::uint8_t shard = 0; shard < kChangeShards; ++shard) {
    const auto cursor = snapshot->range(
        {change_key(table, shard, 0), changes_prefix(table, static_cast<std::uint8_t>(shard + 1))},
        store::Direction::Backward);
    if (cursor->valid()) latest = std::max(latest, moment_of(store::appended_number(cursor->key())));
    TAVOLA_CHECK(cursor->status());
  }
  return latest;
}

struct Source {
  SchemaPtr table;
  WallTime moment;
};

// Returns the source and the time, once no write of that time is running any more.
Result<Source> settled_source(const BackupContext& context, const RestoreTableToPointInTimeRequest& request) {
  const std::string& name = request.source_table_name;
  for (;;) {
    TAVOLA_TRY(const SchemaPtr table, find_backed_up_table(context.catalog, name));
    if (!table->description.recovery) {
      return fail(Error(ErrorCode::PointInTimeRecoveryUnavailable,
                        "Point in time recovery is not enabled for table '" + name + "'"));
    }
    const ContinuousBackups backups = continuous_backups(table->description, context.clock.now());
    WallTime moment = backups.latest;
    if (request.latest) {
      TAVOLA_TRY(moment, latest_moment(context.store, table->id, backups.latest));
    } else {
      TAVOLA_TRY(moment, moment_in(backups, request.moment.value_or(backups.latest)));
    }
    TAVOLA_CHECK(check_target(context.catalog, request.target_table_name));
    const Result<void> settled = settle(context, *table, moment);
    if (settled) return Source{table, moment};
    if (settled.error().code() != ErrorCode::Stale) return fail(settled.error());
    context.catalog.forget(name);
  }
}

// Checks that the shelved data can still restore that time: recovery may have been switched off and on in between, or
// its period shortened. Logs reach an hour further than reported (stream_catalog.cc), so the time that has passed does
// not matter.
Result<void> check_shelved(const BackupContext& context, const std::string& id, const Source& source) {
  const TableDescription& wanted = source.table->description;
  TAVOLA_TRY(const std::shared_ptr<store::Store> shelved, context.shelf.open(id));
  TAVOLA_TRY(const std::optional<StoredTable> table, table_in(*shelved, wanted.table_name));
  if (!table || table->schema->id != source.table->id) {
    return fail(backed_up_table_not_found(wanted.table_name));
  }
  const TableDescription& now = table->schema->description;
  const WallTime lately = context.clock.now() - std::chrono::minutes(30);
  if (!now.recovery || continuous_backups(now, lately).earliest > source.moment) {
    return fail(Error(ErrorCode::PointInTimeRecoveryUnavailable,
                      "Point in time recovery is not enabled for table '" + wanted.table_name + "'"));
  }
  return {};
}

}  // namespace

Result<TableDescription> restored_table(const TableDescription& source, const std::string& table_name,
                                        const RestoreOverrides& overrides) {
  TAVOLA_CHECK(check_capacity(source, overrides));
  CreateTableRequest table{
      .table_name = table_name,
      .attribute_definitions = source.attribute_definitions,
      .key_schema = source.key_schema,
      .global_indexes = source.global_indexes,
      .local_indexes = source.local_indexes,
      .billing_mode = overrides.billing_mode.value_or(source.billing_mode),
      .throughput = overrides.throughput ? overrides.throughput : source.throughput,
      .on_demand_limits = overrides.on_demand_limits ? overrides.on_demand_limits : source.on_demand_limits};
  const bool is_provisioned = table.billing_mode == BillingMode::Provisioned;
  if (is_provisioned) table.on_demand_limits.reset();
  if (!is_provisioned) table.throughput.reset();
  for (GlobalIndex& index : table.global_indexes) {
    index.warm_throughput.reset();
    if (is_provisioned) index.on_demand_limits.reset();
    if (!is_provisioned) index.throughput.reset();
    // The indexes of a table that becomes provisioned have no throughput yet.
    if (is_provisioned && !index.throughput) index.throughput = table.throughput;
  }
  TAVOLA_CHECK(override_indexes(source, overrides, table));
  drop_spare_definitions(table);
  TAVOLA_TRY(TableDescription restored, describe_new_table(table));
  restored.awaits_design = source.governed_by ? source.governed_by->design : source.awaits_design;
  return restored;
}

Result<RestoreTableResponse> restore_from_backup(const BackupContext& context,
                                                 const RestoreTableFromBackupRequest& request) {
  TAVOLA_CHECK(check_names("", request.target_table_name));
  TAVOLA_TRY(const Backup backup, existing_backup(context.store, request.backup));
  TAVOLA_CHECK(check_target(context.catalog, request.target_table_name));
  TAVOLA_TRY(const std::shared_ptr<TableSchema> source, decode_schema(backup.schema));
  Plan plan;
  TAVOLA_TRY(plan.table, restored_table(source->description, request.target_table_name, request.overrides));
  plan.from = RestoredFrom{
      .backup = request.backup, .table_name = source->description.table_name, .moment = backup.created_at};
  plan.job = {.shelf_id = backup.id, .source = source->id};
  plan.backup_key = backup_key(backup.id);
  return begin(context, std::move(plan));
}

Result<RestoreTableResponse> restore_to_moment(const BackupContext& context,
                                               const RestoreTableToPointInTimeRequest& request) {
  TAVOLA_CHECK(check_names(request.source_table_name, request.target_table_name));
  if (request.source_table_name.empty()) {
    return fail(
        Error::validation("The parameter 'TableName' is required but was not present in the request"));
  }
  TAVOLA_CHECK(check_moment(request));
  TAVOLA_TRY(const Source source, settled_source(context, request));
  Plan plan;
  TAVOLA_TRY(plan.table,
             restored_table(source.table->description, request.target_table_name, request.overrides));
  plan.from = RestoredFrom{.backup = "", .table_name = request.source_table_name, .moment = source.moment};
  const std::string id = context.shelf.new_id(context.clock.now(), context.random);
  plan.job = {.shelf_id = id,
              .owns_shelf = true,
              .source = source.table->id,
              .undo_from = first_number(source.moment + std::chrono::milliseconds(1))};
  TAVOLA_CHECK(context.shelf.put(id));
  const Result<void> is_usable = check_shelved(context, id, source);
  Result<RestoreTableResponse> response =
      is_usable ? begin(context, std::move(plan)) : Result<RestoreTableResponse>(fail(is_usable.error()));
  if (!response) context.shelf.remove(id);
  return response;
}

}  // namespace tavola::engine
