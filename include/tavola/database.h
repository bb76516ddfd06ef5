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
#include <tavola/history.h>
#include <tavola/policies.h>
#include <tavola/requests.h>
#include <tavola/streams.h>

namespace tavola {

namespace design {
struct Design;
}

// Contract of every method:
//   - Errors carry DynamoDB's exception (error.h) and its exact words. A failed request changes nothing, with one
//     exception: an error of the disk (Io) or of a remote endpoint can leave open whether a write took effect.
//   - A write that returned is durable (Durability below) and visible to every request that starts afterwards.
//   - Nothing is retried for the caller, except that a remote database retries throttled and failed calls as SDKs do.
//     Throttling, TransactionConflict, TransactionInProgress and DiskFull can succeed when the caller tries again.
class Database {
 public:
  virtual ~Database() = default;

  // Tables. A missing table is ResourceNotFound; creating one that exists is ResourceInUse. A table is Active when
  // create_table returns; an index that update_table adds is built in the background (TableDescription::index_build).
  // list_tables returns names in byte order, page by page.
  virtual Result<CreateTableResponse> create_table(const CreateTableRequest& request) = 0;
  virtual Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) = 0;
  virtual Result<ListTablesResponse> list_tables(const ListTablesRequest& request) = 0;
  virtual Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) = 0;
  virtual Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) = 0;

  // Single items. Each write is atomic, indexes and stream included. A missing item is not an error: get_item returns
  // nullopt, delete_item succeeds, update_item creates the item. A condition that does not hold is
  // ConditionalCheckFailed, with the item as its detail (ConditionFailure) if the request asks for it.
  virtual Result<PutItemResponse> put_item(const PutItemRequest& request) = 0;
  virtual Result<GetItemResponse> get_item(const GetItemRequest& request) = 0;
  virtual Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) = 0;
  virtual Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) = 0;

  // Pages of items, read from one snapshot each; two pages can differ in time. A page can be empty and still have a
  // last_evaluated_key: only its absence is the end. In a local database global indexes are never behind their table;
  // on Amazon DynamoDB they can be.
  virtual Result<QueryResponse> query(const QueryRequest& request) = 0;
  virtual Result<ScanResponse> scan(const ScanRequest& request) = 0;

  // Batches and transactions. Batch responses list unprocessed requests, which the caller sends again; missing items
  // are left out. Transactions are serializable: transact_get_items reads one snapshot, transact_write_items performs
  // all actions or fails with TransactionCanceled and a reason for each (TransactionCancellation).
  virtual Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) = 0;
  virtual Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) = 0;
  virtual Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) = 0;
  virtual Result<TransactWriteItemsResponse> transact_write_items(
      const TransactWriteItemsRequest& request) = 0;

  // Time to live and tags. Both take effect at once; expired items are deleted in the background, seconds later.
  virtual Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) = 0;
  virtual Result<DescribeTimeToLiveResponse> describe_time_to_live(
      const DescribeTimeToLiveRequest& request) = 0;

  virtual Result<void> tag_resource(const TagResourceRequest& request) = 0;
  virtual Result<void> untag_resource(const UntagResourceRequest& request) = 0;
  virtual Result<ListTagsOfResourceResponse> list_tags_of_resource(
      const ListTagsOfResourceRequest& request) = 0;

  // Streams: the changes of tables whose stream is switched on (streams.h). Databases without streams refuse these.
  virtual Result<ListStreamsResponse> list_streams(const ListStreamsRequest& request);
  virtual Result<DescribeStreamResponse> describe_stream(const DescribeStreamRequest& request);
  virtual Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& request);
  virtual Result<GetRecordsResponse> get_records(const GetRecordsRequest& request);

  // Backups and point-in-time recovery (backups.h). Databases without backups refuse these.
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

  // The versions of one item, while its table has point-in-time recovery (history.h). Not operations of DynamoDB; databases
  // without a change log refuse them.
  virtual Result<ItemHistoryResponse> item_history(const ItemHistoryRequest& request);
  virtual Result<ItemAsOfResponse> item_as_of(const ItemAsOfRequest& request);

  // Exports to and imports from files (exports.h). Only a server implements them, because it knows the folders.
  virtual Result<ExportTableResponse> export_table(const ExportTableRequest& request);
  virtual Result<DescribeExportResponse> describe_export(const DescribeExportRequest& request);
  virtual Result<ListExportsResponse> list_exports(const ListExportsRequest& request);
  virtual Result<ImportTableResponse> import_table(const ImportTableRequest& request);
  virtual Result<DescribeImportResponse> describe_import(const DescribeImportRequest& request);
  virtual Result<ListImportsResponse> list_imports(const ListImportsRequest& request);

  // Resource policies: who may do what with a table or stream (policies.h). A server evaluates them.
  virtual Result<PutResourcePolicyResponse> put_resource_policy(const PutResourcePolicyRequest& request);
  virtual Result<GetResourcePolicyResponse> get_resource_policy(const GetResourcePolicyRequest& request);
  virtual Result<DeleteResourcePolicyResponse> delete_resource_policy(
      const DeleteResourcePolicyRequest& request);

  // Returns a read-only view of the database as of now: later writes are not visible in it, and it refuses writes. It
  // must be destroyed before this database. Not an operation of DynamoDB; remote databases refuse it.
  virtual Result<std::unique_ptr<Database>> freeze();

  // Governed tables, which DynamoDB does not have. A governed table enforces its design whichever client writes:
  // derived data is correct, copies are in step, and a write that breaks the design is refused
  // (docs/DESIGN-LANGUAGE.md, "Governed tables"). Remote databases govern no table and return empty responses.
  virtual Result<GovernTableResponse> govern_table(const GovernTableRequest& request);
  virtual Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& request);
  // Returns the design by which the items of a table are understood (src/design/model/model.h): the one that governs
  // it, or that of an older table during its migration. Returns null if the table is missing or has no design. Fails
  // with AccessDenied if the table must have a design but has not got it yet, and as the catalog does if the design
  // cannot be read. Cheap: the parsed design is kept.
  virtual Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table_name);

  // Moves a table to the next revision of its design, in a new table (docs/MIGRATE.md). Start creates the new table and
  // copies in the background, which resumes when the database is opened again; from then on every write goes to both
  // tables, until Finish separates them or Abort deletes the newer one. Remote databases refuse it.
  virtual Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& request);
};

// When a write is acknowledged:
enum class Durability : std::uint8_t {
  Synced,  // once it is on disk: survives a power cut. Concurrent writers share one sync.
  Relaxed,  // once the operating system has it: survives a crash of the program; a crash of the machine may lose the
            // latest writes, and leaves a state that existed before
};

struct OpenOptions {
  Durability durability = Durability::Synced;
  std::size_t cache_bytes = std::size_t{64} * 1024 * 1024;  // for blocks read from disk
};

// Opens the database in `directory`, creating it if missing. Only one process at a time may have it open. Fails with
// Locked, Corrupt, NewerFormat, DiskFull or Io; then nothing is left open and no stored data is changed. A forked child
// has none of its threads: it may only exec or _exit. When the disk is full, writes and deletes fail with DiskFull
// while reads succeed; writing resumes by itself some seconds after 32 MB are free.
Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory,
                                       const OpenOptions& options = {});

// Returns an empty database in memory, which ends with the object.
[[nodiscard]] std::unique_ptr<Database> open_in_memory();

}  // namespace tavola
