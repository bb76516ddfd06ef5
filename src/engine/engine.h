// Engine: the Database on a Store. Each method checks the request, looks up the table, and calls the sub-room that does
// the work (README.md). It holds no data and takes no lock: every change goes through the store.
#pragma once

#include <memory>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/background/worker.h"
#include "engine/backups/backups.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/policies.h"
#include "engine/governed/governed_schemas.h"
#include "engine/indexes/index_build.h"
#include "engine/write/request_writes.h"
#include "store/store.h"

namespace tavola::engine {

class Engine final : public Database {
 public:
  explicit Engine(std::unique_ptr<store::Store> store, const Clock& clock = Clock::system(),
                  Random& random = Random::system());

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
  Result<DescribeTimeToLiveResponse> describe_time_to_live(const DescribeTimeToLiveRequest& request) override;

  Result<void> tag_resource(const TagResourceRequest& request) override;
  Result<void> untag_resource(const UntagResourceRequest& request) override;
  Result<ListTagsOfResourceResponse> list_tags_of_resource(const ListTagsOfResourceRequest& request) override;

  Result<ListStreamsResponse> list_streams(const ListStreamsRequest& request) override;
  Result<DescribeStreamResponse> describe_stream(const DescribeStreamRequest& request) override;
  Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& request) override;
  Result<GetRecordsResponse> get_records(const GetRecordsRequest& request) override;

  Result<PutResourcePolicyResponse> put_resource_policy(const PutResourcePolicyRequest& request) override {
    return policies_.put(request);
  }
  Result<GetResourcePolicyResponse> get_resource_policy(const GetResourcePolicyRequest& request) override {
    return policies_.get(request);
  }
  Result<DeleteResourcePolicyResponse> delete_resource_policy(
      const DeleteResourcePolicyRequest& request) override {
    return policies_.remove(request);
  }

  Result<CreateBackupResponse> create_backup(const CreateBackupRequest& request) override;
  Result<DescribeBackupResponse> describe_backup(const DescribeBackupRequest& request) override;
  Result<ListBackupsResponse> list_backups(const ListBackupsRequest& request) override;
  Result<DeleteBackupResponse> delete_backup(const DeleteBackupRequest& request) override;
  Result<RestoreTableFromBackupResponse> restore_table_from_backup(
      const RestoreTableFromBackupRequest& request) override;
  Result<UpdateContinuousBackupsResponse> update_continuous_backups(
      const UpdateContinuousBackupsRequest& request) override;
  Result<DescribeContinuousBackupsResponse> describe_continuous_backups(
      const DescribeContinuousBackupsRequest& request) override;
  Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& request) override;
  Result<ItemHistoryResponse> item_history(const ItemHistoryRequest& request) override;
  Result<ItemAsOfResponse> item_as_of(const ItemAsOfRequest& request) override;
  Result<std::unique_ptr<Database>> freeze() override;

  Result<GovernTableResponse> govern_table(const GovernTableRequest& request) override;
  Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& request) override;
  Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table_name) override;
  Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& request) override;

  // Removes expired items in the background from now on. Without it, only sweep() does. `tell` gets the failures.
  void start_sweeping(BackgroundWorker::Report report = {}) { worker_.start(std::move(report)); }
  Result<void> sweep() { return worker_.run_pass(); }
  // Runs the jobs that writes have left, now, for at most this time. Returns whether all are done.
  Result<bool> finish_jobs(std::chrono::milliseconds time) { return worker_.finish_jobs(time); }
  // Returns the current state, for return_to(). No background job is unfinished in it: fails with ResourceInUse if they take longer
  // than some seconds.
  Result<std::unique_ptr<store::Branch>> branch();
  // Makes the database what it was, or empty if `branch` is null; durable on return. Backups stay as they are. The caller keeps requests
  // away until it returns.
  Result<void> return_to(store::Branch* branch);
  // Removes all items of a table at once: nothing is recorded in its stream, and its recovery begins anew.
  Result<void> empty_table(const std::string& table_name);
  // Does one step of a table's index build (index_build.h), otherwise done by the background thread. Returns true if none is
  // left.
  Result<bool> build_index(const std::string& table_name, const BuildStep& step) {
    return build_some(catalog_, table_name, step);
  }
  // Returns why the restore of a table stopped; empty if it did not, or if there is no such table.
  Result<std::string> failed_restore(const std::string& table_name);
  BackgroundWorker::Totals sweep_totals() const { return worker_.totals(); }

 private:
  // Sets `unfinished` when the write left a job; borrows it.
  template <class Request>
  WriteContext context(const Request& request, bool& unfinished);
  BackupContext backups() { return {*store_, catalog_, shelf_, clock_, random_}; }
  // Returns the description with the current counts.
  Result<TableDescription> describe(const TableSchema& schema) const;
  template <class Request>
  Result<WriteItemResponse> write(const Request& request);
  template <class Request>
  WriteItemResponse write_response(const Request& request, const TableSchema& table, WrittenItem& written,
                                   const expr::Update& update) const;

  std::unique_ptr<store::Store> store_;
  GovernedSchemas governed_schemas_;
  Catalog catalog_;
  const Clock& clock_;
  Random& random_;
  Policies policies_;
  CheckpointShelf shelf_;
  BackgroundWorker worker_;  // destroyed first: it uses the others
};

}  // namespace tavola::engine
