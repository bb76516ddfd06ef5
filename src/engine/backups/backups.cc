#include "engine/backups/backups.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "base/timestamps.h"
#include "database/constraints.h"
#include "database/enum_names.h"
#include "database/names.h"
#include "engine/backups/recovery.h"
#include "engine/backups/restore_job.h"
#include "engine/catalog/tables.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

constexpr int kListBackupsMax = 100;
constexpr std::chrono::days kSystemBackupLifetime{35};

Error backup_not_found(std::string_view backup) {
  return {ErrorCode::BackupNotFound, "Backup not found: " + std::string(backup)};
}

Error system_backup_stays(std::string_view backup, WallTime expires_at) {
  return Error::validation("Invalid Request: User is not allowed to delete the system backup with arn " +
                           std::string(backup) + ". It will automatically expire on " + iso8601(expires_at));
}

Result<void> write(store::Store& store, const store::Write& one) {
  const std::array keys{one.key};
  return store.transact(
      keys, {}, [&](const store::View&) -> Result<store::Decision> { return store::Decision{{one}, {}}; });
}

Result<store::Write> record_of(const Backup& backup) {
  TAVOLA_TRY(std::string record, encode_backup(backup));
  return store::Write::put(backup_key(backup.id), std::move(record));
}

// Opens the shelved store once, to learn the exact contents of the backup and to prove that it can be read.
Result<Backup> backup_on_shelf(const BackupContext& context, Backup backup, std::string_view table_name) {
  TAVOLA_TRY(const std::shared_ptr<store::Store> copy, context.shelf.open(backup.id));
  TAVOLA_TRY(const std::optional<StoredTable> table, table_in(*copy, table_name));
  if (!table) return fail(backed_up_table_not_found(table_name));  // it was deleted concurrently
  backup.schema = table->schema->record;
  backup.item_count = table->item_count;
  backup.size_bytes = table->size_bytes;
  return backup;
}

Result<void> check_list(const ListBackupsRequest& request) {
  Constraints constraints;
  if (!request.table_name.empty()) check_name(constraints, request.table_name, "tableName");
  constraints.check_at_least(1, request.limit, "limit");
  constraints.check_at_most(kListBackupsMax, request.limit, "limit");
  constraints.check_enum(request.type, "backupType");
  TAVOLA_CHECK(constraints.check());
  if (request.from && request.to && *request.from > *request.to) {
    return fail(invalid_parameter("Time range lower bound must be less than or equal to upper bound"));
  }
  return {};
}

bool is_asked_for(const BackupDescription& backup, const ListBackupsRequest& request) {
  const bool has_type = request.type == BackupTypeFilter::All ||
                        (request.type == BackupTypeFilter::System) == (backup.type == BackupType::System);
  return has_type && (request.table_name.empty() || backup.table.table_name == request.table_name) &&
         (!request.from || backup.created_at >= *request.from) &&
         (!request.to || backup.created_at < *request.to);
}

// Erases the record unless the backup is being read; then its data belongs to nobody.
Result<void> take_away(store::Store& store, CheckpointShelf& shelf, const Backup& backup,
                       std::string_view name) {
  const std::array keys{backup_key(backup.id)};
  store::RuleReads reads;
  reads.set_first(keys, keys.size());
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    if (!view[0]) return fail(backup_not_found(name));
    reads.begin(view, 0);
    TAVOLA_TRY(const bool is_read, is_being_read(reads, backup.id));
    if (reads.waits()) return reads.ask();
    if (is_read) {
      return fail(
          Error(ErrorCode::BackupInUse, "Backup is being used to restore table: " + std::string(name)));
    }
    return store::Decision{{store::Write::erase(keys[0])}, {}};
  };
  static_cast<void>(shelf.mark_unrecorded(backup.id));  // a full disk must not prevent a deletion
  if (const Result<void> erased = store.transact(keys, {}, rule); !erased) {
    if (erased.error().code() == ErrorCode::BackupInUse) shelf.mark_recorded(backup.id);
    return erased;
  }
  TAVOLA_CHECK(store.sync());  // a record must not reappear without its data
  shelf.remove(backup.id);
  return {};
}

// Returns the shelved data of a restore that stopped: its table may be deleted, and then nothing reads it. An
// unreadable record counts as such a restore, too. Fails while the restore is running.
Result<std::optional<std::string>> left_by_restore(store::RuleReads& reads, const TableSchema& table) {
  const auto record = reads.find(job_key(table.id, kRestoreJob));
  if (!record || !*record) return std::optional<std::string>();
  const Result<RestoreJob> job = decode_restore(**record);
  if (job && job->failure.empty()) return fail(table_is_being_created(table.description.table_name));
  return job && job->owns_shelf ? std::optional(job->shelf_id) : std::nullopt;
}

}  // namespace

Result<Backup> existing_backup(const store::Store& store, std::string_view backup) {
  const std::optional<BackupName> name = parse_backup_name(backup);
  if (!name) return fail(Error::validation("Invalid Backup ARN"));
  TAVOLA_TRY(std::optional<Backup> found, find_backup(store, name->id));
  if (!found) return fail(backup_not_found(backup));
  TAVOLA_TRY(const std::shared_ptr<TableSchema> table, decode_schema(found->schema));
  if (table->description.table_name != name->table_name) return fail(backup_not_found(backup));
  return *std::move(found);
}

Result<bool> is_being_read(store::RuleReads& reads, std::string_view id) {
  const store::RangeEntries* const jobs =
      reads.find({.range = every_job(), .entries_max = std::numeric_limits<std::size_t>::max()});
  if (jobs == nullptr) return false;
  for (const store::RangeEntry& entry : *jobs) {
    TAVOLA_TRY(const std::optional<RestoreJob> job, restore_job_in(entry.value));
    if (job && job->shelf_id == id && !job->is_over) return true;
  }
  return false;
}

Result<CreateBackupResponse> create_backup(const BackupContext& context, const CreateBackupRequest& request) {
  Constraints constraints;
  check_name(constraints, request.table_name, "tableName");
  check_name(constraints, request.backup_name, "backupName");
  TAVOLA_CHECK(constraints.check());
  TAVOLA_CHECK(find_backed_up_table(context.catalog, request.table_name));
  const WallTime now = context.clock.now();
  Backup backup{
      .id = context.shelf.new_id(now, context.random), .name = request.backup_name, .created_at = now};
  TAVOLA_CHECK(context.shelf.put(backup.id));
  const auto record = [&]() -> Result<void> {
    TAVOLA_TRY(backup, backup_on_shelf(context, std::move(backup), request.table_name));
    TAVOLA_TRY(const store::Write put, record_of(backup));
    return write(context.store, put);
  };
  const std::string id = backup.id;
  if (const Result<void> recorded = record(); !recorded) {
    context.shelf.remove(id);
    return fail(recorded.error());
  }
  TAVOLA_CHECK(context.store.sync());  // otherwise the next opening knows whether there is a record
  context.shelf.mark_recorded(id);
  TAVOLA_TRY(BackupDescription description, describe(backup));
  description.status = BackupStatus::Creating;  // as AWS for every new one; DescribeBackup returns Available
  return CreateBackupResponse{std::move(description)};
}

Result<DescribeBackupResponse> describe_backup(const store::Store& store,
                                               const DescribeBackupRequest& request) {
  TAVOLA_TRY(const Backup backup, existing_backup(store, request.backup));
  TAVOLA_TRY(BackupDescription description, describe(backup));
  return DescribeBackupResponse{std::move(description)};
}

Result<ListBackupsResponse> list_backups(const store::Store& store, const ListBackupsRequest& request) {
  TAVOLA_CHECK(check_list(request));
  std::string after;  // a position, whether or not that backup still exists
  if (!request.exclusive_start_backup.empty()) {
    const std::optional<BackupName> name = parse_backup_name(request.exclusive_start_backup);
    if (!name) return fail(Error::validation("Invalid Backup ARN"));
    after = name->id;
  }
  const auto limit = static_cast<std::size_t>(request.limit.value_or(kListBackupsMax));
  TAVOLA_TRY(const std::vector<Backup> backups, all_backups(store));
  ListBackupsResponse response;
  for (const Backup& backup : backups) {
    if (backup.id <= after) continue;
    TAVOLA_TRY(BackupDescription description, describe(backup));
    if (!is_asked_for(description, request)) continue;
    if (response.backups.size() == limit) {
      response.last_evaluated_backup = response.backups.back().backup;
      break;
    }
    response.backups.push_back(std::move(description));
  }
  return response;
}

Result<DeleteBackupResponse> delete_backup(const BackupContext& context, const DeleteBackupRequest& request) {
  TAVOLA_TRY(const Backup backup, existing_backup(context.store, request.backup));
  TAVOLA_TRY(BackupDescription description, describe(backup));
  if (backup.type == BackupType::System) {
    return fail(system_backup_stays(request.backup, backup.expires_at.value_or(backup.created_at)));
  }
  TAVOLA_CHECK(take_away(context.store, context.shelf, backup, request.backup));
  description.status = BackupStatus::Deleted;
  return DeleteBackupResponse{std::move(description)};
}

// The backup is taken once no write to the table is running, so that it contains everything written.
Result<SchemaPtr> remove_table(const BackupContext& context, const std::string& table_name) {
  const WallTime now = context.clock.now();
  const std::string id = context.shelf.new_id(now, context.random);
  bool is_shelved = false;
  std::optional<std::string> left;
  const auto back_up = [&](const TableSchema& table, store::RuleReads& reads,
                           std::vector<store::Write>& also) -> Result<void> {
    if (std::exchange(is_shelved, false)) context.shelf.remove(id);  // by an earlier call: it is outdated
    if (table.description.restored_from) {
      TAVOLA_TRY(left, left_by_restore(reads, table));
    }
    if (!table.description.recovery) return {};
    const auto counted = reads.find(counters_key(table.id));
    if (!counted || reads.waits()) return {};
    TAVOLA_TRY(const std::vector<std::int64_t> counters,
               store::decode_counters(counted->value_or(std::string_view()), 2));
    const Backup backup{.id = id,
                        .name = table_name + "$DeletedTableBackup",
                        .type = BackupType::System,
                        .created_at = now,
                        .expires_at = now + kSystemBackupLifetime,
                        .schema = table.record,
                        .item_count = counters[0],
                        .size_bytes = counters[1]};
    is_shelved = true;
    TAVOLA_CHECK(context.shelf.put(id));
    TAVOLA_TRY(also.emplace_back(), record_of(backup));
    return {};
  };
  Result<SchemaPtr> removed = context.catalog.remove(table_name, back_up);
  if (!removed && is_shelved) context.shelf.remove(id);
  if (!removed || (!is_shelved && !left)) return removed;
  // The table is removed, whether or not this is known to be durable; data not removed or marked now is handled at the
  // next opening.
  if (!context.store.sync()) return removed;
  if (is_shelved) context.shelf.mark_recorded(id);
  if (left) context.shelf.remove(*left);
  return removed;
}

Result<void> tidy_shelf(const store::Store& store, CheckpointShelf& shelf) {
  std::set<std::string> known;
  TAVOLA_TRY(const std::vector<Backup> backups, all_backups(store));
  for (const Backup& backup : backups) {
    known.insert(backup.id);
    shelf.mark_recorded(backup.id);
  }
  TAVOLA_TRY(const std::vector<RestoreJob> jobs, all_restore_jobs(store));
  for (const RestoreJob& job : jobs) known.insert(job.shelf_id);
  shelf.keep_only([&known](const std::string& id) { return known.contains(id); });
  return {};
}

Result<void> forget_expired_backups(store::Store& store, CheckpointShelf& shelf, WallTime now) {
  Result<void> outcome;
  const auto note = [&outcome](const Error& error) {
    if (outcome) outcome = fail(error);
  };
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(every_backup(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const Result<Backup> backup = decode_backup(cursor->key(), cursor->value());
    if (!backup) {
      note(backup.error());
      continue;
    }
    if (const std::optional<WallTime>& expires = backup->expires_at; !expires || now < *expires) continue;
    const Result<void> gone = take_away(store, shelf, *backup, backup->id);
    // A backup that is being read is removed by a later pass.
    if (!gone && gone.error().code() != ErrorCode::BackupInUse) note(gone.error());
  }
  TAVOLA_CHECK(cursor->status());
  return outcome;
}

}  // namespace tavola::engine
