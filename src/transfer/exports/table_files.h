// Exports and imports of a server: a decorator with the folders that stand for AWS's buckets.
//
//   export_table ─▶ freeze(), or the table restored as it was ─▶ in the background: files ─▶ Completed
//   import_table ─▶ a table, Creating ─▶ in the background: items ─▶ Active
//
// Their records are in files of a separate folder and survive a restart: an import is then repeated from its beginning,
// which puts the same items; an export, whose time is past, has failed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/locks.h"
#include "base/random.h"
#include "database/forwarding_database.h"
#include "transfer/exports/buckets.h"
#include "transfer/exports/hidden_tables.h"
#include "transfer/exports/job_records.h"
#include "transfer/walk/patience.h"
#include "wire/codec/operations.h"

namespace tavola::transfer {

// The number of running jobs. Shared with their threads, which may outlive the waiting one.
struct JobsRunning {
  Mutex mutex;
  std::condition_variable_any changed;
  std::size_t count TAVOLA_GUARDED_BY(mutex) = 0;
};

// Thread safety: all methods. A table under import is visible only to those who describe it, a temporary table of an
// export to nobody.
class TableFiles final : public ForwardingDatabase {
 public:
  struct Parts {
    Database& database;
    std::filesystem::path buckets{};  // empty: exports and imports are refused
    std::filesystem::path state{};    // empty: no records are kept
    ServerIdentity place{};
    const Clock& clock = Clock::system();
    Random& random = Random::system();
    Pause pause = sleep();
    // Makes all writes durable; only then is a job reported as done.
    std::function<Result<void>()> settle{};
    // Returns why the restore of a table does not proceed; empty if it does.
    std::function<Result<std::string>(const std::string& table_name)> failed_restore{};
    // Gives a table that an import has filled its design, and returns when its items are checked. Ends early if the server stops.
    std::function<void(const std::string& table_name, const std::atomic<bool>& is_stopping)> adopt{};
    // Logs failures in the background.
    std::function<void(const std::string& what, const std::string& why)> report{};
  };
  // Resumes unfinished jobs.
  static Result<std::unique_ptr<TableFiles>> open(Parts parts);
  // Stops running jobs; the next open() resumes them.
  ~TableFiles() override;

  Result<ExportTableResponse> export_table(const ExportTableRequest& request) override;
  Result<DescribeExportResponse> describe_export(const DescribeExportRequest& request) override;
  Result<ListExportsResponse> list_exports(const ListExportsRequest& request) override;
  Result<ImportTableResponse> import_table(const ImportTableRequest& request) override;
  Result<DescribeImportResponse> describe_import(const DescribeImportRequest& request) override;
  Result<ListImportsResponse> list_imports(const ListImportsRequest& request) override;

  // Forwarded to the database, except for tables under import and temporary ones.
  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override;
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override;
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override;
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) override;
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override;
  Result<PutItemResponse> put_item(const PutItemRequest& request) override;
  Result<GetItemResponse> get_item(const GetItemRequest& request) override;
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override;
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override;
  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override;
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override;
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override;
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override;
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) override;
  Result<CreateBackupResponse> create_backup(const CreateBackupRequest& request) override;
  Result<UpdateContinuousBackupsResponse> update_continuous_backups(
      const UpdateContinuousBackupsRequest& request) override;
  Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& request) override;

  // Returns whether no export or import is running.
  bool is_idle() const;
  // Waits until no job is running: for tests.
  void wait_until_idle();

 private:
  explicit TableFiles(Parts parts);

  std::string new_id();
  Result<void> check_buckets() const;
  Result<std::optional<std::filesystem::path>> find_bucket(const std::string& name) const;
  Result<void> settle() const { return parts_.settle ? parts_.settle() : Result<void>(); }
  void go_on() TAVOLA_REQUIRES(mutex_);
  // Returns a short pause once the server stops.
  Pause pause_of_jobs() const;
  // Returns false if the machine has no thread for it.
  bool start(std::function<void()> job);

  // ---- exports.cc ----
  Result<TableDescription> table_to_export(const ExportTableRequest& request);
  Result<WallTime> moment_of(const ExportTableRequest& request, const ContinuousBackups& backups) const;
  Result<std::optional<ExportDescription>> find_repeated(const ExportTableRequest& request)
      TAVOLA_REQUIRES(mutex_);
  void run_export(const std::string& id, const std::shared_ptr<Database>& frozen);
  Result<void> export_past(const std::string& id, const std::filesystem::path& bucket);
  Result<void> export_from(const std::string& id, Database& database, const std::string& table_name,
                           const std::filesystem::path& bucket);
  void end_export(const std::string& id, const std::string& failure_code, const std::string& failure_message);
  // Fails as the database does, and with Io if the server stops.
  Result<void> wait_until_made(const std::string& table);
  void drop_scratch(const std::string& id);
  void save_end(const std::string& id) TAVOLA_REQUIRES(mutex_);

  // ---- imports.cc ----
  Result<std::optional<ImportDescription>> find_repeated(const ImportTableRequest& request)
      TAVOLA_REQUIRES(mutex_);
  void run_import(const std::string& id);
  void end_import(const std::string& id, const std::string& failure_code, const std::string& failure_message);
  // A table under import does not exist for requests on items; for others it is in use. A temporary table of an export
  // does not exist for any.
  Result<void> check_items(std::string_view table);
  Result<void> check_table(std::string_view table);

  Parts parts_;
  std::optional<Buckets> buckets_;
  Mutex mutex_;
  JobRecords records_ TAVOLA_GUARDED_BY(mutex_);
  HiddenTables hidden_;
  std::atomic<bool> is_stopping_ = false;
  std::shared_ptr<JobsRunning> running_;
};

}  // namespace tavola::transfer
