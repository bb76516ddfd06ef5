// The requests and responses of DynamoDB's operations on items, typed. Names follow the AWS API; items, keys and
// expression values are packed (packed.h). The legacy parameters (expected, key_conditions, …) stand last in each request.
//
// A default means what leaving the parameter out means on AWS. Empty text means "not given".
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tavola/expression.h>
#include <tavola/packed.h>

namespace tavola {

// ---- Parameters that requests share ----

enum class ReturnConsumedCapacity : std::uint8_t { None, Total, Indexes };
enum class ReturnItemCollectionMetrics : std::uint8_t { None, Size };
enum class ReturnValues : std::uint8_t { None, AllOld, UpdatedOld, AllNew, UpdatedNew };
enum class ReturnValuesOnConditionCheckFailure : std::uint8_t { None, AllOld };

// Capacity units are multiples of one half, so a double holds them exactly.
struct ConsumedCapacity {
  std::string table_name{};
  double units = 0;
  // How `units` divide, with ReturnConsumedCapacity::Indexes.
  std::optional<double> table_units{};
  std::map<std::string, double, std::less<>> local_index_units{};
  std::map<std::string, double, std::less<>> global_index_units{};
  // Whether `units` were read or written, for transactions.
  std::optional<double> read_units{};
  std::optional<double> write_units{};
};

struct ItemCollectionMetrics {
  PackedItem item_collection_key{};
  std::array<double, 2> size_estimate_range_gb{};
};

// The detail of a ConditionalCheckFailed error if ReturnValuesOnConditionCheckFailure asks for the item.
struct ConditionFailure : ErrorDetail {
  explicit ConditionFailure(PackedItem old_item) : item(std::move(old_item)) {}
  PackedItem item{};
  std::shared_ptr<const ErrorDetail> cause{};  // set if the rules of a governed table refused the write
};

// ---- Items ----

// The person for whom a request is made, according to a verified token or access key. In a governed table they cannot
// grant a permission that they do not have, and caller() in the design is their `sub`. A request without a caller is
// the program's own and is not limited.
struct Caller {
  std::string sub{};                  // empty: not logged in
  std::vector<std::string> groups{};  // in addition to those stored in the table
};

// `as_is` of the requests below is for copies of whole tables (docs/FILES.md). A governed table stores such a write without the rules of
// its design and without consequences, and returns its internal records, too. The writer itself has the table checked afterwards. Tables
// without a design do not differ.

struct PutItemRequest {
  std::string table_name{};
  PackedItem item{};
  std::string condition_expression{};
  AttributeNames names{};
  PackedItem values{};                              // ":v" → value
  ReturnValues return_values = ReturnValues::None;  // None or AllOld
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::None;

  std::optional<ExpectedAttributes> expected{};
  std::optional<ConditionalOperator> conditional_operator{};

  std::shared_ptr<const Caller> caller{};  // null: the program itself
  bool as_is = false;
};

struct DeleteItemRequest {
  std::string table_name{};
  PackedItem key{};
  std::string condition_expression{};
  AttributeNames names{};
  PackedItem values{};
  ReturnValues return_values = ReturnValues::None;  // None or AllOld
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::None;

  std::optional<ExpectedAttributes> expected{};
  std::optional<ConditionalOperator> conditional_operator{};

  std::shared_ptr<const Caller> caller{};
  bool as_is = false;
};

struct UpdateItemRequest {
  std::string table_name{};
  PackedItem key{};
  std::string update_expression{};
  std::string condition_expression{};
  AttributeNames names{};
  PackedItem values{};
  ReturnValues return_values = ReturnValues::None;
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::None;

  std::optional<AttributeUpdates> attribute_updates{};
  std::optional<ExpectedAttributes> expected{};
  std::optional<ConditionalOperator> conditional_operator{};

  std::shared_ptr<const Caller> caller{};
  bool as_is = false;
};

// The response of PutItem, DeleteItem and UpdateItem.
struct WriteItemResponse {
  std::optional<PackedItem> attributes{};  // as ReturnValues asks, if any
  std::optional<ConsumedCapacity> consumed_capacity{};
  std::optional<ItemCollectionMetrics> item_collection_metrics{};
  bool unfinished =
      false;  // more items change with this one than fit into a transaction; a job changes the rest
};
using PutItemResponse = WriteItemResponse;
using DeleteItemResponse = WriteItemResponse;
using UpdateItemResponse = WriteItemResponse;

struct GetItemRequest {
  std::string table_name{};
  PackedItem key{};
  bool consistent_read = false;
  std::string projection_expression{};
  AttributeNames names{};
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;

  std::optional<std::vector<std::string>> attributes_to_get{};
};
struct GetItemResponse {
  std::optional<PackedItem> item{};  // nullopt if the key is absent, which is not an error
  std::optional<ConsumedCapacity> consumed_capacity{};
};

// ---- Query and Scan ----

enum class Select : std::uint8_t { AllAttributes, AllProjectedAttributes, SpecificAttributes, Count };

// Decides whether the caller may see an item, which has at least the keys of its table. If it fails, so does the
// request.
using ItemTest = std::function<Result<bool>(const ItemView& item)>;

struct QueryRequest {
  std::string table_name{};
  std::string index_name{};
  std::string key_condition_expression{};
  std::string filter_expression{};
  std::string projection_expression{};
  AttributeNames names{};
  PackedItem values{};
  std::optional<Select> select{};
  std::optional<std::int64_t> limit{};  // items evaluated, at least 1
  bool scan_index_forward = true;
  bool consistent_read = false;
  std::optional<PackedItem> exclusive_start_key{};
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;

  std::optional<LegacyConditions> key_conditions{};
  std::optional<LegacyConditions> query_filter{};
  std::optional<ConditionalOperator> conditional_operator{};
  std::optional<std::vector<std::string>> attributes_to_get{};

  // Items that fail the test are skipped as if they did not exist. Remote databases refuse a request with a test.
  ItemTest may_see{};
};

struct ScanRequest {
  std::string table_name{};
  std::string index_name{};
  std::string filter_expression{};
  std::string projection_expression{};
  AttributeNames names{};
  PackedItem values{};
  std::optional<Select> select{};
  std::optional<std::int64_t> limit{};
  bool consistent_read = false;
  std::optional<PackedItem> exclusive_start_key{};
  std::optional<int> segment{};         // both or neither
  std::optional<int> total_segments{};  // 1 to 1,000,000
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;

  std::optional<LegacyConditions> scan_filter{};
  std::optional<ConditionalOperator> conditional_operator{};
  std::optional<std::vector<std::string>> attributes_to_get{};

  // Items that fail the test are skipped as if they did not exist. Remote databases refuse a request with a test.
  ItemTest may_see{};
  bool as_is = false;  // internal records follow the items of the first segment
};

// One page. More may follow if and only if last_evaluated_key is set.
struct Page {
  std::vector<PackedItem> items{};  // empty with Select::Count
  std::int64_t count = 0;
  std::int64_t scanned_count = 0;
  std::optional<PackedItem> last_evaluated_key{};
  std::optional<ConsumedCapacity> consumed_capacity{};
};
using QueryResponse = Page;
using ScanResponse = Page;

// ---- Batches ----

// The items of one table to get, by their keys.
struct KeysToGet {
  std::string table_name{};
  std::vector<PackedItem> keys{};
  bool consistent_read = false;
  std::string projection_expression{};
  AttributeNames names{};

  std::optional<std::vector<std::string>> attributes_to_get{};
};

struct BatchGetItemRequest {
  std::vector<KeysToGet> tables{};  // up to 100 keys in all
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
};

struct TableItems {
  std::string table_name{};
  std::vector<PackedItem> items{};
};
struct BatchGetItemResponse {
  std::vector<TableItems> tables{};           // absent items are left out
  std::vector<KeysToGet> unprocessed_keys{};  // exceeded 16 MB: request them again
  std::vector<ConsumedCapacity> consumed_capacity{};
};

struct BatchWrite {
  enum class Kind : std::uint8_t { Put, Delete };
  Kind kind = Kind::Put;
  PackedItem item{};  // Put: the item. Delete: the key.
};
struct TableWrites {
  std::string table_name{};
  std::vector<BatchWrite> writes{};
};
struct BatchWriteItemRequest {
  std::vector<TableWrites> tables{};  // up to 25 writes in all
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::None;
  std::shared_ptr<const Caller> caller{};
  bool as_is = false;
};

struct TableMetrics {
  std::string table_name{};
  std::vector<ItemCollectionMetrics> metrics{};
};
struct BatchWriteItemResponse {
  // Not written: send them again. Tavola writes a batch completely or not at all, unless faults are injected or throughput is enforced.
  std::vector<TableWrites> unprocessed_items{};
  std::vector<TableMetrics> item_collection_metrics{};
  std::vector<ConsumedCapacity> consumed_capacity{};
};

// ---- Transactions ----

struct ConditionCheck {
  std::string table_name{};
  PackedItem key{};
  std::string condition_expression{};
  AttributeNames names{};
  PackedItem values{};
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
};

// A transaction uses the members of these requests that an action of a transaction has on AWS: keys, items, expressions
// and on_condition_failure. Legacy parameters and return_values are refused; other members are ignored.
using TransactWrite = std::variant<ConditionCheck, PutItemRequest, DeleteItemRequest, UpdateItemRequest>;

// All actions happen, or none: then the error is TransactionCanceled with a reason per action
// (TransactionCancellation). The reason TransactionConflict means that a concurrent write held the item. Try again.
struct TransactWriteItemsRequest {
  std::vector<TransactWrite> actions{};  // up to 100, on different items
  // A request repeated with its token within ten minutes changes nothing.
  std::string client_request_token{};
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::None;
  std::shared_ptr<const Caller> caller{};  // of all actions; theirs are ignored
  bool as_is = false;                      // all actions; theirs are ignored
};
struct TransactWriteItemsResponse {
  std::vector<TableMetrics> item_collection_metrics{};
  std::vector<ConsumedCapacity> consumed_capacity{};
  bool unfinished = false;  // as in WriteItemResponse
};

struct TransactGetItemsRequest {
  std::vector<GetItemRequest> gets{};  // up to 100, read from one snapshot
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::None;
};
struct TransactGetItemsResponse {
  std::vector<std::optional<PackedItem>> items{};  // in the order of the request
  std::vector<ConsumedCapacity> consumed_capacity{};
};

// Why one action of a transaction failed: "ConditionalCheckFailed", "ValidationError", "TransactionConflict" ...
struct CancellationReason {
  std::string code = "None";  // "None": this action did not fail
  std::string message{};
  std::optional<PackedItem> item{};             // if on_condition_failure asked for it
  std::shared_ptr<const ErrorDetail> detail{};  // of the error of this action; never sent to clients
};
// The detail of a TransactionCanceled error: a reason for every action, in their order.
struct TransactionCancellation : ErrorDetail {
  explicit TransactionCancellation(std::vector<CancellationReason> r) : reasons(std::move(r)) {}
  std::vector<CancellationReason> reasons{};
};

}  // namespace tavola
