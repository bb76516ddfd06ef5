// The change records of a table's stream: requests and responses of DynamoDB Streams, typed.
//
//   ListStreams ──▶ DescribeStream ──▶ its shards ──▶ GetShardIterator ──▶ GetRecords, again and again
//
// Every change of an item is one record, written in the same transaction; the records of one item are in one shard, in
// the order of its changes. They are kept for 24 hours, even if the stream is switched off or its table deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/requests.h>
#include <tavola/time.h>

namespace tavola {

// A stream is called "<table name>/stream/<label>"; on the wire that follows "arn:aws:dynamodb:<region>:<account>:table/".
struct StreamSummary {
  std::string stream{};
  std::string table_name{};
  std::string label{};  // when it was switched on: "2026-11-15T09:30:00.125"
};

struct ListStreamsRequest {
  std::string table_name{};    // empty: all tables
  std::optional<int> limit{};  // 1 to 100
  std::string exclusive_start_stream{};
};
struct ListStreamsResponse {
  std::vector<StreamSummary> streams{};
  std::string last_evaluated_stream{};  // empty at the end
};

enum class StreamStatus : std::uint8_t { Enabling, Enabled, Disabling, Disabled };

struct Shard {
  std::string shard_id{};
  std::string parent_shard_id{};  // empty: none
  std::string starting_sequence_number{};
  std::string ending_sequence_number{};  // empty: the shard is open
};

struct StreamDescription {
  std::string stream{};
  std::string table_name{};
  std::string label{};
  StreamStatus status = StreamStatus::Enabled;
  StreamView view = StreamView::NewAndOldImages;
  WallTime created_at{};
  std::vector<KeySchemaElement> key_schema{};
  std::vector<Shard> shards{};
  std::string last_evaluated_shard_id{};  // empty at the end
};

struct DescribeStreamRequest {
  std::string stream{};
  std::optional<int> limit{};  // of shards, 1 to 100
  std::string exclusive_start_shard_id{};
  std::string children_of{};  // ShardFilter: only the shards that came from this one
};
struct DescribeStreamResponse {
  StreamDescription stream{};
};

enum class ShardIteratorType : std::uint8_t { TrimHorizon, Latest, AtSequenceNumber, AfterSequenceNumber };

struct GetShardIteratorRequest {
  std::string stream{};
  std::string shard_id{};
  ShardIteratorType type = ShardIteratorType::TrimHorizon;
  std::string sequence_number{};  // with AtSequenceNumber and AfterSequenceNumber
};
struct GetShardIteratorResponse {
  std::string shard_iterator{};  // a position in a shard, valid for 15 minutes
};

enum class ChangeKind : std::uint8_t { Insert, Modify, Remove };

struct StreamRecord {
  std::string event_id{};
  ChangeKind kind = ChangeKind::Insert;
  std::string sequence_number{};
  WallTime created_at{};
  StreamView view = StreamView::NewAndOldImages;
  PackedItem keys{};
  std::optional<PackedItem> new_image{};  // if the view includes it
  std::optional<PackedItem> old_image{};
  std::int64_t size_bytes = 0;
  bool by_time_to_live = false;  // the item expired; no client deleted it
};

struct GetRecordsRequest {
  std::string shard_iterator{};
  std::optional<int> limit{};  // 1 to 1000
};
struct GetRecordsResponse {
  std::vector<StreamRecord> records{};  // up to 1 MB
  std::string next_shard_iterator{};    // empty: the shard is closed and completely read
};

}  // namespace tavola
