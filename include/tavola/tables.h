// The requests and responses of DynamoDB's operations on tables, typed. Names follow the AWS API.
//
// A default means what leaving the parameter out means on AWS. Empty text means "not given".
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/governance.h>
#include <tavola/time.h>
#include <tavola/value.h>

namespace tavola {

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

// A global index being built from a table's items in the background (UpdateTable); it cannot be read yet.
struct IndexBuild {
  std::string index{};
  friend bool operator==(const IndexBuild&, const IndexBuild&) = default;
};

// Continuous backups (backups.h): since when, and for how many days changes are kept.
struct PointInTimeRecovery {
  WallTime since{};
  int days = 35;
  friend bool operator==(const PointInTimeRecovery&, const PointInTimeRecovery&) = default;
};

// The source of a table that is being restored (backups.h).
struct RestoredFrom {
  std::string backup{};  // empty: from the table's continuous backups
  std::string table_name{};
  WallTime moment{};
  friend bool operator==(const RestoredFrom&, const RestoredFrom&) = default;
};

struct TableDescription {
  std::string table_name{};
  std::string table_id{};  // a UUID: a table that is deleted and created again gets a new one
  TableStatus status = TableStatus::Active;
  WallTime created_at{};
  std::vector<AttributeDefinition> attribute_definitions{};
  std::vector<KeySchemaElement> key_schema{};
  std::vector<GlobalIndex> global_indexes{};
  std::vector<LocalIndex> local_indexes{};
  BillingMode billing_mode = BillingMode::PayPerRequest;
  std::optional<WallTime> on_demand_since{};  // the latest time
  std::optional<Throughput> throughput{};
  std::optional<OnDemandLimits> on_demand_limits{};
  std::optional<WarmThroughput> warm_throughput{};
  bool deletion_protection = false;
  TableClass table_class = TableClass::Standard;
  std::optional<StreamView> stream{};
  std::optional<WallTime> stream_since{};  // of the latest stream
  std::optional<std::string> time_to_live_attribute{};
  std::optional<GovernedBy> governed_by{};
  std::optional<Migration> migration{};
  std::optional<IndexBuild> index_build{};
  std::optional<PointInTimeRecovery> recovery{};
  std::optional<RestoredFrom> restored_from{};  // while the status is Creating
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
