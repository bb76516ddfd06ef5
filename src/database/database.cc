#include <tavola/database.h>

namespace tavola {
namespace {

std::unexpected<Error> no_streams() {
  return fail(Error::internal("This database has no streams. Use a data directory or a Tavola server."));
}

std::unexpected<Error> no_backups() {
  return fail(Error::internal("This database has no backups. Use a data directory or a Tavola server."));
}

std::unexpected<Error> no_history() {
  return fail(
      Error::validation("This database keeps no history of items. Use a data directory or a Tavola server "
                        "with point-in-time recovery."));
}

std::unexpected<Error> no_files() {
  return fail(
      Error::validation("Only a Tavola server exports and imports tables. `tavola dump` and "
                        "`tavola load` work on any database."));
}

std::unexpected<Error> no_policies() {
  return fail(
      Error::internal("This database has no resource policies. Use a data directory or a Tavola server."));
}

}  // namespace

Result<ListStreamsResponse> Database::list_streams(const ListStreamsRequest&) { return no_streams(); }
Result<DescribeStreamResponse> Database::describe_stream(const DescribeStreamRequest&) {
  return no_streams();
}
Result<GetShardIteratorResponse> Database::get_shard_iterator(const GetShardIteratorRequest&) {
  return no_streams();
}
Result<GetRecordsResponse> Database::get_records(const GetRecordsRequest&) { return no_streams(); }

Result<CreateBackupResponse> Database::create_backup(const CreateBackupRequest&) { return no_backups(); }
Result<DescribeBackupResponse> Database::describe_backup(const DescribeBackupRequest&) {
  return no_backups();
}
Result<ListBackupsResponse> Database::list_backups(const ListBackupsRequest&) { return no_backups(); }
Result<DeleteBackupResponse> Database::delete_backup(const DeleteBackupRequest&) { return no_backups(); }
Result<RestoreTableFromBackupResponse> Database::restore_table_from_backup(
    const RestoreTableFromBackupRequest&) {
  return no_backups();
}
Result<UpdateContinuousBackupsResponse> Database::update_continuous_backups(
    const UpdateContinuousBackupsRequest&) {
  return no_backups();
}
Result<DescribeContinuousBackupsResponse> Database::describe_continuous_backups(
    const DescribeContinuousBackupsRequest&) {
  return no_backups();
}
Result<RestoreTableToPointInTimeResponse> Database::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest&) {
  return no_backups();
}
Result<ItemHistoryResponse> Database::item_history(const ItemHistoryRequest&) { return no_history(); }
Result<ItemAsOfResponse> Database::item_as_of(const ItemAsOfRequest&) { return no_history(); }
Result<ExportTableResponse> Database::export_table(const ExportTableRequest&) { return no_files(); }
Result<DescribeExportResponse> Database::describe_export(const DescribeExportRequest&) { return no_files(); }
Result<ListExportsResponse> Database::list_exports(const ListExportsRequest&) { return no_files(); }
Result<ImportTableResponse> Database::import_table(const ImportTableRequest&) { return no_files(); }
Result<DescribeImportResponse> Database::describe_import(const DescribeImportRequest&) { return no_files(); }
Result<ListImportsResponse> Database::list_imports(const ListImportsRequest&) { return no_files(); }
Result<PutResourcePolicyResponse> Database::put_resource_policy(const PutResourcePolicyRequest&) {
  return no_policies();
}
Result<GetResourcePolicyResponse> Database::get_resource_policy(const GetResourcePolicyRequest&) {
  return no_policies();
}
Result<DeleteResourcePolicyResponse> Database::delete_resource_policy(const DeleteResourcePolicyRequest&) {
  return no_policies();
}

Result<std::unique_ptr<Database>> Database::freeze() {
  return fail(Error::internal("This database has no snapshots. Use a data directory or a Tavola server."));
}

Result<GovernTableResponse> Database::govern_table(const GovernTableRequest&) {
  return GovernTableResponse{};
}

Result<DescribeGovernanceResponse> Database::describe_governance(const DescribeGovernanceRequest&) {
  return DescribeGovernanceResponse{};
}

Result<std::shared_ptr<const design::Design>> Database::governing_design(std::string_view) { return nullptr; }

Result<MigrateTableResponse> Database::migrate_table(const MigrateTableRequest&) {
  return fail(
      Error::validation("This database cannot migrate tables. Use a data directory or a Tavola server."));
}

}  // namespace tavola
