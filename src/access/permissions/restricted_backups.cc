// Access to backups. A restored table has every item of the old one: restoring needs the right to change both.
#include <algorithm>
#include <iterator>

#include "access/permissions/restricted_database.h"

namespace tavola::access {
namespace {

constexpr int kListBackupsMax = 100;

// A backup's name begins with its table's.
std::string_view table_of_backup(std::string_view backup) { return backup.substr(0, backup.find('/')); }

}  // namespace

Result<void> RestrictedDatabase::use_backup(std::string_view operation, const std::string& backup) const {
  const std::string_view table = table_of_backup(backup);
  TAVOLA_CHECK(change_table(operation, table));
  if (permissions_.items == nullptr) return {};
  return with_words(operation, table, permissions_.items->may_use_backup(backup));
}

Result<CreateBackupResponse> RestrictedDatabase::create_backup(const CreateBackupRequest& request) {
  TAVOLA_CHECK(change_table("CreateBackup", request.table_name));
  return database_.create_backup(request);
}

Result<DescribeBackupResponse> RestrictedDatabase::describe_backup(const DescribeBackupRequest& request) {
  TAVOLA_CHECK(read("DescribeBackup", table_of_backup(request.backup)));
  return database_.describe_backup(request);
}

// Lists only backups of tables that the key may use, up to the requested number.
Result<ListBackupsResponse> RestrictedDatabase::list_backups(const ListBackupsRequest& request) {
  if (!request.table_name.empty()) TAVOLA_CHECK(read("ListBackups", request.table_name));
  ListBackupsRequest rest = request;
  if (!rest.limit) rest.limit = kListBackupsMax;
  ListBackupsResponse listed;
  for (;;) {
    TAVOLA_TRY(ListBackupsResponse page, database_.list_backups(rest));
    std::erase_if(page.backups, [&](const BackupDescription& backup) {
      return request.table_name.empty() && !permissions_.may_use(backup.table.table_name);
    });
    std::ranges::move(page.backups, std::back_inserter(listed.backups));
    listed.last_evaluated_backup = page.last_evaluated_backup;
    *rest.limit -= static_cast<int>(page.backups.size());
    if (page.last_evaluated_backup.empty() || rest.limit == 0) return listed;
    rest.exclusive_start_backup = page.last_evaluated_backup;
  }
}

Result<DeleteBackupResponse> RestrictedDatabase::delete_backup(const DeleteBackupRequest& request) {
  TAVOLA_CHECK(use_backup("DeleteBackup", request.backup));
  return database_.delete_backup(request);
}

Result<RestoreTableFromBackupResponse> RestrictedDatabase::restore_table_from_backup(
    const RestoreTableFromBackupRequest& request) {
  TAVOLA_CHECK(use_backup("RestoreTableFromBackup", request.backup));
  TAVOLA_CHECK(change_table("RestoreTableFromBackup", request.target_table_name));
  return database_.restore_table_from_backup(request);
}

Result<UpdateContinuousBackupsResponse> RestrictedDatabase::update_continuous_backups(
    const UpdateContinuousBackupsRequest& request) {
  TAVOLA_CHECK(change_table("UpdateContinuousBackups", request.table_name));
  return database_.update_continuous_backups(request);
}

Result<DescribeContinuousBackupsResponse> RestrictedDatabase::describe_continuous_backups(
    const DescribeContinuousBackupsRequest& request) {
  TAVOLA_CHECK(read("DescribeContinuousBackups", request.table_name));
  return database_.describe_continuous_backups(request);
}

Result<RestoreTableToPointInTimeResponse> RestrictedDatabase::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest& request) {
  TAVOLA_CHECK(change_table("RestoreTableToPointInTime", request.source_table_name));
  TAVOLA_CHECK(change_table("RestoreTableToPointInTime", request.target_table_name));
  return database_.restore_table_to_point_in_time(request);
}

}  // namespace tavola::access
