// RestrictedDatabase: a Database as one caller may use it. What is not allowed is refused before it is tried, with
// AWS's AccessDeniedException; everything else goes through.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "wire/operations.h"

namespace tavola::wire {

// Which items of a table a caller may use, where that is not all of them. What is not allowed fails with AccessDenied and a
// reason, which RestrictedDatabase puts into AWS's words.
class ItemRules {
 public:
  virtual ~ItemRules() = default;
  virtual Result<void> may_change_table(std::string_view table) const = 0;
  // `item` holds at least the key, unless the request is wrong.
  virtual Result<void> may_read(std::string_view table, const PackedItem& item) const = 0;
  virtual Result<void> may_write(std::string_view table, const PackedItem& item) const = 0;
  virtual Result<void> may_query(const QueryRequest& request) const = 0;
  virtual Result<void> may_scan(const ScanRequest& request) const = 0;
};

struct Permissions {
  std::string user;  // as messages name it
  bool may_write = true;
  std::function<bool(std::string_view table)> may_use;
  const ItemRules* items = nullptr;  // null: all items of the tables
};

// Lives as long as one request: borrows all it is given.
class RestrictedDatabase final : public Database {
 public:
  RestrictedDatabase(Database& database, const Permissions& permissions, const Place& place)
      : database_(database), permissions_(permissions), place_(place) {}

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

 private:
  Result<void> read(std::string_view operation, std::string_view table) const;
  Result<void> write(std::string_view operation, std::string_view table) const;
  Result<void> change_table(std::string_view operation, std::string_view table) const;
  Result<void> read_item(std::string_view operation, std::string_view table, const PackedItem& key) const;
  Result<void> write_item(std::string_view operation, std::string_view table, const PackedItem& item) const;
  Result<void> read_stream(std::string_view operation, std::string_view stream) const;
  // The rules' answer in AWS's words.
  Result<void> told(std::string_view operation, std::string_view table, const Result<void>& answer) const;

  Database& database_;
  const Permissions& permissions_;
  const Place& place_;
};

}  // namespace tavola::wire
