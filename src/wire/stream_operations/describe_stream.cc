#include "json/writer.h"
#include "wire/codec/operations.h"
#include "wire/codec/stream_shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

// Returns the shard whose children are requested; AWS has no other filter.
std::string read_filter(const Fields& in) {
  const auto filter = in.structure("ShardFilter", "ShardFilter");
  if (!filter) return {};
  const auto type = filter->text("Type");
  if (type && *type != "CHILD_SHARDS") {
    in.problems().constraints().add_broken(*type, filter->path_of("Type"),
                                           "satisfy enum value set: [CHILD_SHARDS]");
  }
  return read_sized_text(*filter, "ShardId", kShardIdLengths);
}

void write_shard(json::Writer& json, const Shard& shard) {
  json.begin_object();
  if (!shard.parent_shard_id.empty()) json.name("ParentShardId").text(shard.parent_shard_id);
  json.name("SequenceNumberRange").begin_object();
  if (!shard.ending_sequence_number.empty())
    json.name("EndingSequenceNumber").text(shard.ending_sequence_number);
  json.name("StartingSequenceNumber").text(shard.starting_sequence_number);
  json.end_object();
  json.name("ShardId").text(shard.shard_id);
  json.end_object();
}

void write_stream(json::Writer& json, const StreamDescription& stream, const ServerIdentity& server) {
  json.begin_object();
  json.name("CreationRequestDateTime");
  write_time(json, stream.created_at);
  write_key_schema(json, stream.key_schema);
  if (!stream.last_evaluated_shard_id.empty())
    json.name("LastEvaluatedShardId").text(stream.last_evaluated_shard_id);
  json.name("Shards").begin_list();
  for (const Shard& shard : stream.shards) write_shard(json, shard);
  json.end_list();
  json.name("StreamArn").text(stream_arn(server, stream.stream));
  json.name("StreamLabel").text(stream.label);
  json.name("StreamStatus").text(enum_name(stream.status));
  json.name("StreamViewType").text(enum_name(stream.view));
  json.name("TableName").text(stream.table_name);
  json.end_object();
}

}  // namespace

Result<std::string> describe_stream(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  DescribeStreamRequest request;
  request.stream = read_stream_arn(in, "StreamArn", Presence::Required);
  if (const auto limit = in.integer("Limit", kInteger, {.least = 1}))
    request.limit = static_cast<int>(*limit);
  request.exclusive_start_shard_id = read_sized_text(in, "ExclusiveStartShardId", kShardIdLengths);
  request.children_of = read_filter(in);
  TAVOLA_CHECK(problems.check());
  const Result<DescribeStreamResponse> response = call.database.describe_stream(request);
  if (!response) return fail(stream_error(call.server, request.stream, response.error()));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("StreamDescription");
  write_stream(json, response->stream, call.server);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
