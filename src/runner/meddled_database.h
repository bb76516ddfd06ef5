// For tests: a database in which something else happens between two requests of whoever uses it.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include <tavola/database.h>

namespace tavola::runner {

class MeddledDatabase final : public Database {
 public:
  // Called before each request, with the name of its operation. What it returns is the answer, unless it is nothing.
  using Meddle = std::function<Result<void>(std::string_view operation)>;
  MeddledDatabase(Database& database, Meddle meddle) : database_(database), meddle_(std::move(meddle)) {}

  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    TAVOLA_CHECK(meddle_("PutItem"));
    return database_.put_item(request);
  }
  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    TAVOLA_CHECK(meddle_("GetItem"));
    return database_.get_item(request);
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    TAVOLA_CHECK(meddle_("UpdateItem"));
    return database_.update_item(request);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    TAVOLA_CHECK(meddle_("DeleteItem"));
    return database_.delete_item(request);
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    TAVOLA_CHECK(meddle_("Query"));
    return database_.query(request);
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    TAVOLA_CHECK(meddle_("Scan"));
    return database_.scan(request);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    TAVOLA_CHECK(meddle_("TransactWriteItems"));
    return database_.transact_write_items(request);
  }

  // What no runner asks for.
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
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& r) override {
    return database_.batch_get_item(r);
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& r) override {
    return database_.batch_write_item(r);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& r) override {
    return database_.transact_get_items(r);
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
  Result<GovernTableResponse> govern_table(const GovernTableRequest& r) override {
    return database_.govern_table(r);
  }
  Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& r) override {
    return database_.describe_governance(r);
  }
  Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& r) override {
    return database_.migrate_table(r);
  }

 private:
  Database& database_;
  Meddle meddle_;
};

}  // namespace tavola::runner
