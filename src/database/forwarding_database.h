// Base class of Database decorators: every operation forwards to the wrapped database unless overridden.
#pragma once

#include <tavola/database.h>

namespace tavola {

// Borrows the wrapped database.
class ForwardingDatabase : public Database {
 public:
  explicit ForwardingDatabase(Database& database) : database_(database) {}

  Result<CreateTableResponse> create_table(const CreateTableRequest& r) override {
    return database_.create_table(r);
  }
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& r) override {
    return database_.describe_table(r);
  }
  Result<ListTablesResponse> list_tables(const ListTablesRequest& r) override {
    return database_.list_tables(r);
  }
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& r) override {
    return database_.update_table(r);
  }
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& r) override {
    return database_.delete_table(r);
  }
  Result<PutItemResponse> put_item(const PutItemRequest& r) override { return database_.put_item(r); }
  Result<GetItemResponse> get_item(const GetItemRequest& r) override { return database_.get_item(r); }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& r) override {
    return database_.update_item(r);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& r) override {
    return database_.delete_item(r);
  }
  Result<QueryResponse> query(const QueryRequest& r) override { return database_.query(r); }
  Result<ScanResponse> scan(const ScanRequest& r) override { return database_.scan(r); }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& r) override {
    return database_.batch_get_item(r);
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& r) override {
    return database_.batch_write_item(r);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& r) override {
    return database_.transact_get_items(r);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& r) override {
    return database_.transact_write_items(r);
  }
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& r) override {
    return database_.update_time_to_live(r);
  }
  Result<DescribeTimeToLiveResponse> describe_time_to_live(const DescribeTimeToLiveRequest& r) override {
    return database_.describe_time_to_live(r);
  }
  Result<void> tag_resource(const TagResourceRequest& r) override { return database_.tag_resource(r); }
  Result<void> untag_resource(const UntagResourceRequest& r) override { return database_.untag_resource(r); }
  Result<ListTagsOfResourceResponse> list_tags_of_resource(const ListTagsOfResourceRequest& r) override {
    return database_.list_tags_of_resource(r);
  }
  Result<ListStreamsResponse> list_streams(const ListStreamsRequest& r) override {
    return database_.list_streams(r);
  }
  Result<DescribeStreamResponse> describe_stream(const DescribeStreamRequest& r) override {
    return database_.describe_stream(r);
  }
  Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& r) override {
    return database_.get_shard_iterator(r);
  }
  Result<GetRecordsResponse> get_records(const GetRecordsRequest& r) override {
    return database_.get_records(r);
  }
  Result<CreateBackupResponse> create_backup(const CreateBackupRequest& r) override {
    return database_.create_backup(r);
  }
  Result<DescribeBackupResponse> describe_backup(const DescribeBackupRequest& r) override {
    return database_.describe_backup(r);
  }
  Result<ListBackupsResponse> list_backups(const ListBackupsRequest& r) override {
    return database_.list_backups(r);
  }
  Result<DeleteBackupResponse> delete_backup(const DeleteBackupRequest& r) override {
    return database_.delete_backup(r);
  }
  Result<RestoreTableFromBackupResponse> restore_table_from_backup(
      const RestoreTableFromBackupRequest& r) override {
    return database_.restore_table_from_backup(r);
  }
  Result<UpdateContinuousBackupsResponse> update_continuous_backups(
      const UpdateContinuousBackupsRequest& r) override {
    return database_.update_continuous_backups(r);
  }
  Result<DescribeContinuousBackupsResponse> describe_continuous_backups(
      const DescribeContinuousBackupsRequest& r) override {
    return database_.describe_continuous_backups(r);
  }
  Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& r) override {
    return database_.restore_table_to_point_in_time(r);
  }
  Result<ItemHistoryResponse> item_history(const ItemHistoryRequest& r) override {
    return database_.item_history(r);
  }
  Result<ItemAsOfResponse> item_as_of(const ItemAsOfRequest& r) override { return database_.item_as_of(r); }
  Result<ExportTableResponse> export_table(const ExportTableRequest& r) override {
    return database_.export_table(r);
  }
  Result<DescribeExportResponse> describe_export(const DescribeExportRequest& r) override {
    return database_.describe_export(r);
  }
  Result<ListExportsResponse> list_exports(const ListExportsRequest& r) override {
    return database_.list_exports(r);
  }
  Result<ImportTableResponse> import_table(const ImportTableRequest& r) override {
    return database_.import_table(r);
  }
  Result<DescribeImportResponse> describe_import(const DescribeImportRequest& r) override {
    return database_.describe_import(r);
  }
  Result<ListImportsResponse> list_imports(const ListImportsRequest& r) override {
    return database_.list_imports(r);
  }
  Result<PutResourcePolicyResponse> put_resource_policy(const PutResourcePolicyRequest& r) override {
    return database_.put_resource_policy(r);
  }
  Result<GetResourcePolicyResponse> get_resource_policy(const GetResourcePolicyRequest& r) override {
    return database_.get_resource_policy(r);
  }
  Result<DeleteResourcePolicyResponse> delete_resource_policy(const DeleteResourcePolicyRequest& r) override {
    return database_.delete_resource_policy(r);
  }
  Result<std::unique_ptr<Database>> freeze() override { return database_.freeze(); }
  Result<GovernTableResponse> govern_table(const GovernTableRequest& r) override {
    return database_.govern_table(r);
  }
  Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& r) override {
    return database_.describe_governance(r);
  }
  Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table_name) override {
    return database_.governing_design(table_name);
  }
  Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& r) override {
    return database_.migrate_table(r);
  }

 protected:
  Database& database() { return database_; }

 private:
  Database& database_;
};

}  // namespace tavola
