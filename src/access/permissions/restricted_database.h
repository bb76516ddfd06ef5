// RestrictedDatabase: a Database as one caller may use it. A forbidden request is refused before it is performed, with
// AWS's AccessDeniedException; all others are forwarded.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "access/permissions/blind_writes.h"
#include "access/permissions/policy_details.h"
#include "access/permissions/policy_guard.h"
#include "wire/codec/operations.h"

namespace tavola::access {

// Decides which items of a table a caller may use, if not all of them. Fails with AccessDenied and a reason for a
// forbidden item; RestrictedDatabase turns that into AWS's words.
class ItemRules {
 public:
  virtual ~ItemRules() = default;
  virtual Result<void> may_change_table(std::string_view table) const = 0;
  // `item` holds at least the key, unless the request is wrong.
  virtual Result<void> may_read(std::string_view table, const PackedItem& item) const = 0;
  virtual Result<void> may_write(std::string_view table, const PackedItem& item) const = 0;
  // Returns whether items of the table may be written as they are (`as_is`, tavola/items.h).
  virtual bool may_import(std::string_view) const { return false; }
  // Returns whether an item that was found may be shown. Fails if that is unknown: then nothing is shown.
  virtual Result<bool> may_see(std::string_view table, const PackedItem& item) const = 0;
  // Checks a write that reads these attributes of the item.
  virtual Result<void> may_test(std::string_view table, const PackedItem& item,
                                const std::vector<std::string>& attributes) const = 0;
  // Returns a test for the items found; empty if all may be seen.
  virtual Result<ItemTest> may_query(const QueryRequest& request) const = 0;
  virtual Result<ItemTest> may_scan(const ScanRequest& request) const = 0;
  virtual Result<void> may_read_stream(const std::string& stream) const = 0;
  // Checks whether the caller may restore or delete it.
  virtual Result<void> may_use_backup(const std::string& backup) const = 0;
};

struct Permissions {
  std::string user;  // as messages name it
  bool may_write = true;
  std::function<bool(std::string_view table)> may_use;
  bool may_use_every_table = true;
  const ItemRules* items = nullptr;           // null: all items of the tables
  std::shared_ptr<const Caller> caller = {};  // for whom items are written; null: as in the request

  // Resource policies: they allow in addition to the key, and their denials apply to everybody. Roles, which are
  // `items`, are not affected. Both null: policies are not evaluated.
  const Visit* visit = nullptr;
  ParsedPolicies* policies = nullptr;
};

// Lives as long as one request; borrows its constructor arguments.
class RestrictedDatabase final : public Database {
 public:
  RestrictedDatabase(Database& database, const Permissions& permissions, const ServerIdentity& server)
      : database_(database), permissions_(permissions), server_(server) {
    if (permissions.visit != nullptr)
      guard_.emplace(database, server_, *permissions.visit, *permissions.policies);
  }

  // Forwards the call: the server applies the design, and no response contains it.
  Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table_name) override {
    return database_.governing_design(table_name);
  }
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

  // The right to read an item (GetItem) is the right to read what it was.
  Result<ItemHistoryResponse> item_history(const ItemHistoryRequest& request) override;
  Result<ItemAsOfResponse> item_as_of(const ItemAsOfRequest& request) override;

  Result<ExportTableResponse> export_table(const ExportTableRequest& request) override;
  Result<DescribeExportResponse> describe_export(const DescribeExportRequest& request) override;
  Result<ListExportsResponse> list_exports(const ListExportsRequest& request) override;
  Result<ImportTableResponse> import_table(const ImportTableRequest& request) override;
  Result<DescribeImportResponse> describe_import(const DescribeImportRequest& request) override;
  Result<ListImportsResponse> list_imports(const ListImportsRequest& request) override;

  Result<PutResourcePolicyResponse> put_resource_policy(const PutResourcePolicyRequest& request) override;
  Result<GetResourcePolicyResponse> get_resource_policy(const GetResourcePolicyRequest& request) override;
  Result<DeleteResourcePolicyResponse> delete_resource_policy(
      const DeleteResourcePolicyRequest& request) override;

 private:
  enum class Act : std::uint8_t { Read, Write };
  // A requested use.
  struct Use {
    std::string_view operation;
    Act act;
    std::string_view table;
    std::string_view resource{};  // an index or a stream of the table; empty: the table
    std::string_view owner{};     // whose policy decides; empty: the table's
    PolicyGuard::Details details{};
  };
  // The policy decides first, then the key.
  Result<void> permit(const Use& use) const;
  bool key_permits(const Use& use) const;
  std::unexpected<Error> denied(const Use& use, std::string_view why) const;
  // Returns the name of an operation in AWS's policies: statements have their own.
  std::string_view action_of(std::string_view operation) const;
  // Collects the condition keys of a request on items.
  template <class... Parts>
  PolicyGuard::Details details_of(const Parts&... parts) const;
  // For a part of a transaction; `transaction` is empty for a single request.
  template <class Request>
  PolicyGuard::Details details_in(std::string_view transaction, const Request& request,
                                  Outcome outcome = Outcome::Success) const;

  // These permit an operation on a table as a whole.
  Result<void> read(std::string_view operation, std::string_view table) const;
  Result<void> write(std::string_view operation, std::string_view table) const;
  Result<void> change_table(std::string_view operation, std::string_view table) const;
  // These check items, once the operation is permitted.
  Result<void> may_read(std::string_view operation, std::string_view table, const PackedItem& key) const;
  Result<void> may_write(std::string_view operation, std::string_view table, const PackedItem& item) const;
  // Permits a write of one item, alone or in a transaction, with every possible outcome; then checks the item.
  template <class Write>
  Result<void> permit_write(std::string_view transaction, const Write& write) const;
  // A write that returns or tests a part of the item is also a read.
  template <class Write>
  Result<void> may_learn(std::string_view operation, const Write& write) const;
  // The result of a write, as far as its writer may know it.
  template <class T>
  Result<T> for_writer(Result<T> done) const {
    if (done || !writes_blindly_) return done;
    return fail(without_stored_values(done.error()));
  }
  Result<void> permit_get(const GetItemRequest& request) const;
  Result<void> use_backup(std::string_view operation, const std::string& backup) const;
  Result<void> read_stream(std::string_view operation, std::string_view stream) const;
  // The policies of a table or stream.
  Result<void> change_policy(std::string_view operation, std::string_view resource) const;
  Result<void> check_new_policy(const PutResourcePolicyRequest& request) const;
  // Returns the result of the rules or of the database, with a refusal in AWS's words.
  template <class T>
  Result<T> with_words(std::string_view operation, std::string_view table, Result<T> answer) const {
    if (answer) return answer;
    return fail(in_words_of_aws(operation, table, answer.error()));
  }
  Error in_words_of_aws(std::string_view operation, std::string_view table, const Error& error) const;
  // The name of a write in a refusal.
  struct Named {
    std::string_view operation{};
    std::string_view table{};
  };
  // Returns whether a person writes as it is. Keys that stand for nobody are decided upon by the server.
  template <class Request>
  bool is_import(const Request& request) const;
  // Sends a permitted write, on behalf of the person that the key stands for.
  template <class Request, class Response>
  Result<Response> send(const Named& named, const Request& request,
                        Result<Response> (Database::*operation)(const Request&)) const;

  Database& database_;
  const Permissions& permissions_;
  const ServerIdentity& server_;
  std::optional<PolicyGuard> guard_;
  // Set if a written item may not be read by the caller.
  mutable bool writes_blindly_ = false;
};

}  // namespace tavola::access
