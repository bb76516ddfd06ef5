// Engine: the Database on a Store. Each method checks, looks the table up, and hands over to the file that
// does the work: tables.cc, write.cc, read.cc, batches.cc, transactions.cc. It holds no data and takes no lock: what changes data goes
// through the store.
#pragma once

#include <memory>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/catalog.h"
#include "engine/expiry.h"
#include "engine/joint_writes.h"
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

  Result<std::unique_ptr<Database>> freeze() override;

  Result<GovernTableResponse> govern_table(const GovernTableRequest& request) override;
  Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& request) override;
  Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& request) override;

  // Removes what has expired, from now on and in the background. Without it, only when sweep() is called.
  void start_sweeping() { sweeper_.start(); }
  Result<void> sweep() { return sweeper_.sweep(); }
  Sweeper::Totals sweep_totals() const { return sweeper_.totals(); }

 private:
  WriteContext context();
  // With the counts as they are now.
  Result<TableDescription> describe(const TableSchema& schema) const;
  template <class Request>
  Result<WriteItemResponse> write(const Request& request);
  template <class Request>
  WriteItemResponse write_response(const Request& request, const TableSchema& table, WrittenItem& written,
                                   const expr::Update& update) const;

  std::unique_ptr<store::Store> store_;
  Catalog catalog_;
  const Clock& clock_;
  Random& random_;
  Sweeper sweeper_;  // ends first: it uses the others
};

}  // namespace tavola::engine
