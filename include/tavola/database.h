// Database: DynamoDB's operations on tables and items, called from C++. Open one in a directory or in memory:
//
//   TAVOLA_TRY(auto db, tavola::open("music-data"));
//   TAVOLA_TRY(PackedItem song, pack({{"Artist", "Nina"}, {"Song", "Sinnerman"}}));
//   TAVOLA_CHECK(db->put_item({.table_name = "Music", .item = song}));
//
// table.h wraps the common calls more briefly. Thread safety: every method may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include <tavola/backups.h>
#include <tavola/error.h>
#include <tavola/exports.h>
#include <tavola/policies.h>
#include <tavola/requests.h>
#include <tavola/streams.h>

namespace tavola {

namespace design {
struct Design;
}

// Errors carry DynamoDB's exception (error.h) and its exact words. A failed request changes nothing.
class Database {
 public:
  virtual ~Database() = default;

  virtual Result<CreateTableResponse> create_table(const CreateTableRequest& request) = 0;
  virtual Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) = 0;
  virtual Result<ListTablesResponse> list_tables(const ListTablesRequest& request) = 0;
  virtual Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) = 0;
  virtual Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) = 0;

  virtual Result<PutItemResponse> put_item(const PutItemRequest& request) = 0;
  virtual Result<GetItemResponse> get_item(const GetItemRequest& request) = 0;
  virtual Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) = 0;
  virtual Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) = 0;

  virtual Result<QueryResponse> query(const QueryRequest& request) = 0;
  virtual Result<ScanResponse> scan(const ScanRequest& request) = 0;

  virtual Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) = 0;
  virtual Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) = 0;
  virtual Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) = 0;
  virtual Result<TransactWriteItemsResponse> transact_write_items(
      const TransactWriteItemsRequest& request) = 0;

  virtual Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) = 0;
  virtual Result<DescribeTimeToLiveResponse> describe_time_to_live(
      const DescribeTimeToLiveRequest& request) = 0;

  virtual Result<void> tag_resource(const TagResourceRequest& request) = 0;
  virtual Result<void> untag_resource(const UntagResourceRequest& request) = 0;
  virtual Result<ListTagsOfResourceResponse> list_tags_of_resource(
      const ListTagsOfResourceRequest& request) = 0;

  // The changes of tables whose stream is switched on (streams.h). A database that has none refuses these.
  virtual Result<ListStreamsResponse> list_streams(const ListStreamsRequest& request);
  virtual Result<DescribeStreamResponse> describe_stream(const DescribeStreamRequest& request);
  virtual Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& request);
  virtual Result<GetRecordsResponse> get_records(const GetRecordsRequest& request);

  // Backups of tables, and tables as they were at a moment (backups.h). A database that has none refuses these.
  virtual Result<CreateBackupResponse> create_backup(const CreateBackupRequest& request);
  virtual Result<DescribeBackupResponse> describe_backup(const DescribeBackupRequest& request);
  virtual Result<ListBackupsResponse> list_backups(const ListBackupsRequest& request);
  virtual Result<DeleteBackupResponse> delete_backup(const DeleteBackupRequest& request);
  virtual Result<RestoreTableFromBackupResponse> restore_table_from_backup(
      const RestoreTableFromBackupRequest& request);
  virtual Result<UpdateContinuousBackupsResponse> update_continuous_backups(
      const UpdateContinuousBackupsRequest& request);
  virtual Result<DescribeContinuousBackupsResponse> describe_continuous_backups(
      const DescribeContinuousBackupsRequest& request);
  virtual Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& request);

  // Tables to and from files (exports.h). Only a server does it, which knows the folders.
  virtual Result<ExportTableResponse> export_table(const ExportTableRequest& request);
  virtual Result<DescribeExportResponse> describe_export(const DescribeExportRequest& request);
  virtual Result<ListExportsResponse> list_exports(const ListExportsRequest& request);
  virtual Result<ImportTableResponse> import_table(const ImportTableRequest& request);
  virtual Result<DescribeImportResponse> describe_import(const DescribeImportRequest& request);
  virtual Result<ListImportsResponse> list_imports(const ListImportsRequest& request);

  // Who may do what with a table or stream (policies.h). A server evaluates them.
  virtual Result<PutResourcePolicyResponse> put_resource_policy(const PutResourcePolicyRequest& request);
  virtual Result<GetResourcePolicyResponse> get_resource_policy(const GetResourcePolicyRequest& request);
  virtual Result<DeleteResourcePolicyResponse> delete_resource_policy(
      const DeleteResourcePolicyRequest& request);

  // No operation of DynamoDB: the database as it is at this moment. What is written later is not seen through it, and it refuses
  // to be written. It must end before this one does. Remote databases have none.
  virtual Result<std::unique_ptr<Database>> freeze();

  // No operations of DynamoDB. A governed table keeps its design: whatever client writes, derived data is right, copies are in
  // step, and what breaks the design is refused (docs/DESIGN-LANGUAGE.md, "Governed tables"). Remote databases have none.
  virtual Result<GovernTableResponse> govern_table(const GovernTableRequest& request);
  virtual Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& request);
  // Returns the design by which the items of a table are understood (src/design/model/model.h): the one that governs it, or that of an
  // older table during its migration. Null when the table is not there or has none. Fails with AccessDenied when the table must
  // have a design and has not got it yet, and as the catalog does when the design cannot be read. Cheap: nothing is parsed anew.
  virtual Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table_name);

  // Moves a table to the next revision of its design, in a table of its own (docs/MIGRATE.md). Start creates that and begins to
  // copy, in the background, also after the database is opened again; from then on what is written to one is written to both,
  // until Finish leaves them to themselves, or Abort deletes the newer one. Remote databases refuse it.
  virtual Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& request);
};

// When a write is acknowledged.
enum class Durability : std::uint8_t {
  Synced,   // when it is on the disk: survives a power cut. Concurrent writers share one sync.
  Relaxed,  // when the operating system has it: survives a crash of the program; a crash of the machine may
            // take the latest writes, and what is left is a state that once was
};

struct OpenOptions {
  Durability durability = Durability::Synced;
  std::size_t cache_bytes = std::size_t{64} * 1024 * 1024;  // for blocks read from disk
};

// Opens the database in `directory`, creating it when absent. One process at a time may have it open.
// Fails with Locked, Corrupt, NewerFormat, DiskFull or Io; nothing is then left open, and no stored data is changed.
// A child that was forked has none of its threads: it may only exec or _exit.
// When the disk is full, writes and deletes fail with DiskFull and reads go on; writing goes on by itself some seconds
// after 32 MB are free.
Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory,
                                       const OpenOptions& options = {});

// An empty database that lives in memory and ends with the object.
[[nodiscard]] std::unique_ptr<Database> open_in_memory();

}  // namespace tavola
