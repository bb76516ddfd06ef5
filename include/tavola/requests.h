// The requests and responses of DynamoDB's operations, typed. Names follow the AWS API; items, keys and expression
// values are packed (packed.h). The legacy parameters (expected, key_conditions, …) come last in each request.
//
// A default means what leaving the parameter out means on AWS. Empty text means "not given".
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
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

// ---- Tables ----

enum class KeyType : std::uint8_t { Hash, Range };

struct AttributeDefinition {
  std::string name{};
  Type type = Type::String;  // String, Number or Binary
  friend bool operator==(const AttributeDefinition&, const AttributeDefinition&) = default;
};

struct KeySchemaElement {
  std::string name{};
  KeyType type = KeyType::Hash;
  friend bool operator==(const KeySchemaElement&, const KeySchemaElement&) = default;
};

enum class ProjectionType : std::uint8_t { All, KeysOnly, Include };

struct IndexProjection {
  ProjectionType type = ProjectionType::All;
  std::vector<std::string> attributes{};  // for Include; the order has no meaning
  friend bool operator==(const IndexProjection& a, const IndexProjection& b) {
    return a.type == b.type && std::ranges::is_permutation(a.attributes, b.attributes);
  }
};

struct Throughput {
  std::int64_t read_units = 0;
  std::int64_t write_units = 0;
  friend bool operator==(const Throughput&, const Throughput&) = default;
};

// Maximum capacity of a table or index on demand; nullopt, or -1 in an update, means no limit.
struct OnDemandLimits {
  std::optional<std::int64_t> read_units{};
  std::optional<std::int64_t> write_units{};
  friend bool operator==(const OnDemandLimits&, const OnDemandLimits&) = default;
};

// Capacity that AWS prepares a table or index for. Tavola stores and reports it and does nothing else with it.
struct WarmThroughput {
  std::optional<std::int64_t> read_units{};
  std::optional<std::int64_t> write_units{};
  friend bool operator==(const WarmThroughput&, const WarmThroughput&) = default;
};

struct GlobalIndex {
  std::string name{};
  std::vector<KeySchemaElement> key_schema{};  // up to four hash, then up to four range attributes
  IndexProjection projection{};
  std::optional<Throughput> throughput{};
  std::optional<OnDemandLimits> on_demand_limits{};
  std::optional<WarmThroughput> warm_throughput{};
  friend bool operator==(const GlobalIndex&, const GlobalIndex&) = default;
};

struct LocalIndex {
  std::string name{};
  std::vector<KeySchemaElement> key_schema{};
  IndexProjection projection{};
  friend bool operator==(const LocalIndex&, const LocalIndex&) = default;
};

enum class BillingMode : std::uint8_t { Provisioned, PayPerRequest };
enum class TableClass : std::uint8_t { Standard, StandardInfrequentAccess };
enum class TableStatus : std::uint8_t { Creating, Updating, Active, Deleting };
enum class StreamView : std::uint8_t { KeysOnly, NewImage, OldImage, NewAndOldImages };

struct CreateTableRequest {
  std::string table_name{};
  std::vector<AttributeDefinition> attribute_definitions{};
  std::vector<KeySchemaElement> key_schema{};
  std::vector<GlobalIndex> global_indexes{};
  std::vector<LocalIndex> local_indexes{};
  BillingMode billing_mode = BillingMode::PayPerRequest;  // AWS's default needs a throughput; this does not
  std::optional<Throughput> throughput{};                 // with BillingMode::Provisioned
  std::optional<OnDemandLimits> on_demand_limits{};       // with BillingMode::PayPerRequest
  std::optional<WarmThroughput> warm_throughput{};
  bool deletion_protection = false;
  TableClass table_class = TableClass::Standard;
  std::optional<StreamView> stream{};
  std::map<std::string, std::string, std::less<>> tags{};
};

struct IndexStatistics {
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
};

// Enforcement of a table's design: a write that breaks it is refused, or done and counted, or not checked.
enum class Enforcement : std::uint8_t { Strict, Warn, Off };

// The design of a governed table (database.h, govern_table).
struct GovernedBy {
  std::string design{};  // its name
  std::string revision{};
  Enforcement enforcement = Enforcement::Strict;
  friend bool operator==(const GovernedBy&, const GovernedBy&) = default;
};

// A table being moved to the next revision of its design, or the table it moves to (database.h, migrate_table).
struct Migration {
  enum class Role : std::uint8_t { Older, Newer };
  Role role = Role::Older;
  std::string other_table{};
  bool copying = true;    // the newer one still lacks items: its status is Creating
  bool borrowed = false;  // the older one has its design only for the migration and is not governed
  friend bool operator==(const Migration&, const Migration&) = default;
};

// A global index being built from a table's items in the background (UpdateTable); it cannot be read yet.
struct IndexBuild {
  std::string index{};
  std::string place{};  // position in the store: items up to here are in the index
  friend bool operator==(const IndexBuild&, const IndexBuild&) = default;
};

// Continuous backups (backups.h): since when, and for how many days changes are kept.
struct PointInTimeRecovery {
  std::chrono::sys_time<std::chrono::milliseconds> since{};
  int days = 35;
  friend bool operator==(const PointInTimeRecovery&, const PointInTimeRecovery&) = default;
};

// The source of a restored table (backups.h).
struct RestoredFrom {
  std::string backup{};  // empty: from the table's continuous backups
  std::string table_name{};
  std::chrono::sys_time<std::chrono::milliseconds> moment{};
  bool in_progress = false;  // the table's status is Creating
  friend bool operator==(const RestoredFrom&, const RestoredFrom&) = default;
};

struct TableDescription {
  std::string table_name{};
  std::string table_id{};  // a UUID: a table that is deleted and created again gets a new one
  TableStatus status = TableStatus::Active;
  std::chrono::sys_time<std::chrono::milliseconds> created_at{};
  std::vector<AttributeDefinition> attribute_definitions{};
  std::vector<KeySchemaElement> key_schema{};
  std::vector<GlobalIndex> global_indexes{};
  std::vector<LocalIndex> local_indexes{};
  BillingMode billing_mode = BillingMode::PayPerRequest;
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> on_demand_since{};  // the latest time
  std::optional<Throughput> throughput{};
  std::optional<OnDemandLimits> on_demand_limits{};
  std::optional<WarmThroughput> warm_throughput{};
  bool deletion_protection = false;
  TableClass table_class = TableClass::Standard;
  std::optional<StreamView> stream{};
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> stream_since{};  // of the latest stream
  std::uint64_t stream_start = 0;  // position of the latest stream in the table's change log
  std::optional<std::string> time_to_live_attribute{};
  std::optional<GovernedBy> governed_by{};
  std::optional<Migration> migration{};
  std::optional<IndexBuild> index_build{};
  std::optional<PointInTimeRecovery> recovery{};
  std::optional<RestoredFrom> restored_from{};
  // The name of the design that governed the source of this restored table, until this table gets a design.
  std::string awaits_design{};
  // Counted exactly, unlike AWS's six-hourly figures.
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
  std::map<std::string, IndexStatistics, std::less<>> index_statistics{};  // by index name
};

struct CreateTableResponse {
  TableDescription table{};
};

struct DescribeTableRequest {
  std::string table_name{};
};
struct DescribeTableResponse {
  TableDescription table{};
};

struct ListTablesRequest {
  std::string exclusive_start_table_name{};
  std::optional<int> limit{};  // 1 to 100
};
struct ListTablesResponse {
  std::vector<std::string> table_names{};
  std::string last_evaluated_table_name{};  // empty at the end
};

// GlobalSecondaryIndexUpdates: Update.
struct GlobalIndexUpdate {
  std::optional<Throughput> throughput{};
  std::optional<OnDemandLimits> on_demand_limits{};
  std::optional<WarmThroughput> warm_throughput{};
};

struct UpdateTableRequest {
  std::string table_name{};
  std::vector<AttributeDefinition> attribute_definitions{};  // for the keys of an index to be created
  std::optional<BillingMode> billing_mode{};
  std::optional<Throughput> throughput{};
  std::optional<OnDemandLimits> on_demand_limits{};
  std::optional<WarmThroughput> warm_throughput{};
  std::map<std::string, GlobalIndexUpdate, std::less<>> index_updates{};  // by index name
  // At most one index is created or deleted per request. A created index is filled in the background.
  std::vector<GlobalIndex> created_indexes{};
  std::vector<std::string> deleted_indexes{};
  std::optional<bool> deletion_protection{};
  std::optional<TableClass> table_class{};
  // StreamSpecification: a view switches the stream on; an inner nullopt switches it off.
  std::optional<std::optional<StreamView>> stream{};
};
struct UpdateTableResponse {
  TableDescription table{};
};

struct DeleteTableRequest {
  std::string table_name{};
};
struct DeleteTableResponse {
  TableDescription table{};
};

// ---- Shared by requests on items ----

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
};

// ---- Designs ----

struct GovernTableRequest {
  std::string table_name{};
  std::string design{};                      // its text; empty: the table keeps its design
  std::string file_name{};                   // for messages
  std::optional<Enforcement> enforcement{};  // nullopt: as in the design
};
struct GovernTableResponse {
  std::optional<GovernedBy> governed_by{};  // nullopt: this database does not store designs
};

struct DescribeGovernanceRequest {
  std::string table_name{};
  std::size_t stuck_items_max = 0;  // maximum number listed
};
struct BrokenRule {
  std::string rule{};        // the message of the first write
  std::uint64_t writes = 0;  // since the database was opened
  std::string sample_key{};  // of the latest item, as JSON
};
struct StuckItem {
  PackedItem item{};
  std::chrono::sys_time<std::chrono::milliseconds> since{};  // when it should have left its state
};
struct DescribeGovernanceResponse {
  std::optional<GovernedBy> governed_by{};
  std::vector<BrokenRule> broken_rules{};
  std::uint64_t stuck = 0;  // items in a state for longer than its `stuck_after`
  std::vector<StuckItem> stuck_items{};
  std::uint64_t unfinished = 0;  // unfinished copies and deletions, too many for one transaction
};

struct MigrateTableRequest {
  enum class Action : std::uint8_t { Start, Describe, Verify, Finish, Abort };
  Action action = Action::Describe;
  std::string table_name{};  // the older one

  // Start
  std::string new_table_name{};
  std::string from{};  // the table's current revision
  std::string design{};
  std::string file_name{};
  std::string old_design{};  // for a table without a design
  std::string old_file_name{};

  // Verify: `next` of the previous page
  std::string after{};
};
// An item that differs between the two tables.
struct MigrationDifference {
  std::string key{};  // as JSON
  std::string why{};
};
struct MigrateTableResponse {
  std::string old_table{};
  std::string new_table{};
  std::string from{};  // revisions
  std::string to{};
  bool copying = false;
  std::uint64_t items_copied = 0;   // while copying
  bool stopped = false;             // only items that cannot be copied are left; Start tries again
  std::uint64_t items_checked = 0;  // Verify: on this page
  std::int64_t items = 0;           // in the older table
  std::int64_t new_items = 0;
  std::uint64_t differences = 0;  // items that cannot be copied; Verify: items that differ on this page
  std::vector<MigrationDifference> samples{};  // some of them
  std::string next{};                          // Verify: `after` of the next page; empty at the end
};

// ---- Items ----

// The person for whom a request is made, according to a verified token or access key. In a governed table they cannot
// grant a permission that they do not have, and caller() in the design is their `sub`. A request without a caller is
// the program's own and is not limited.
struct Caller {
  std::string sub{};                  // empty: not logged in
  std::vector<std::string> groups{};  // in addition to those stored in the table
};

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
};

// The response of PutItem, DeleteItem and UpdateItem.
struct WriteItemResponse {
  std::optional<PackedItem> attributes{};  // as ReturnValues asks, if any
  std::optional<ConsumedCapacity> consumed_capacity{};
  std::optional<ItemCollectionMetrics> item_collection_metrics{};
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
};

struct TableMetrics {
  std::string table_name{};
  std::vector<ItemCollectionMetrics> metrics{};
};
struct BatchWriteItemResponse {
  // Not written: send them again. Tavola writes a batch completely or not at all, unless faults are injected.
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
};
struct TransactWriteItemsResponse {
  std::vector<TableMetrics> item_collection_metrics{};
  std::vector<ConsumedCapacity> consumed_capacity{};
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
  std::optional<PackedItem> item{};  // if on_condition_failure asked for it
};
// The detail of a TransactionCanceled error: a reason for every action, in their order.
struct TransactionCancellation : ErrorDetail {
  explicit TransactionCancellation(std::vector<CancellationReason> r) : reasons(std::move(r)) {}
  std::vector<CancellationReason> reasons{};
};

// ---- Time to live and tags ----

enum class TimeToLiveStatus : std::uint8_t { Disabled, Enabled };

struct TimeToLive {
  TimeToLiveStatus status = TimeToLiveStatus::Disabled;
  std::string attribute_name{};  // if enabled
};

// If enabled, an item is removed some seconds after the time in its attribute: a number, in seconds since 1970. Until
// then it can be read as any other. A time more than five years ago is ignored, and so is a value that is not a number.
struct UpdateTimeToLiveRequest {
  std::string table_name{};
  std::string attribute_name{};
  bool enabled = false;
};
struct UpdateTimeToLiveResponse {
  std::string attribute_name{};
  bool enabled = false;
};

struct DescribeTimeToLiveRequest {
  std::string table_name{};
};
struct DescribeTimeToLiveResponse {
  TimeToLive time_to_live{};
};

using Tags = std::map<std::string, std::string, std::less<>>;

struct TagResourceRequest {
  std::string table_name{};
  Tags tags{};
};
struct UntagResourceRequest {
  std::string table_name{};
  std::vector<std::string> tag_keys{};
};
struct ListTagsOfResourceRequest {
  std::string table_name{};
};
struct ListTagsOfResourceResponse {
  Tags tags{};
};

}  // namespace tavola
