#include "wire/client/stream_answers.h"

#include "database/stream_names.h"
#include "json/writer.h"
#include "wire/client/answer_parts.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/fields.h"
#include "wire/codec/stream_shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

std::string stream_in(std::string_view arn) {
  return std::string(resource_in_arn(arn).value_or(std::string_view()));
}

StreamRecord read_record(const Fields& in) {
  StreamRecord record{.event_id = text_in(in, "eventID"),
                      .kind = in.one_of<ChangeKind>("eventName").value_or(ChangeKind::Modify),
                      .by_time_to_live = in.has("userIdentity")};
  const auto change = in.structure("dynamodb", "StreamRecord");
  if (!change) return record;
  record.sequence_number = text_in(*change, "SequenceNumber");
  record.created_at = time_in(*change, "ApproximateCreationDateTime").value_or(WallTime());
  record.view = change->one_of<StreamView>("StreamViewType").value_or(StreamView::KeysOnly);
  record.keys = read_item_or_empty(*change, "Keys");
  record.new_image = read_item(*change, "NewImage");
  record.old_image = read_item(*change, "OldImage");
  record.size_bytes = change->integer("SizeBytes", kLong).value_or(0);
  return record;
}

Shard read_shard(const Fields& in) {
  Shard shard{.shard_id = text_in(in, "ShardId"), .parent_shard_id = text_in(in, "ParentShardId")};
  if (const auto range = in.structure("SequenceNumberRange", "SequenceNumberRange")) {
    shard.starting_sequence_number = text_in(*range, "StartingSequenceNumber");
    shard.ending_sequence_number = text_in(*range, "EndingSequenceNumber");
  }
  return shard;
}

}  // namespace

std::string list_streams_body(const ListStreamsRequest& request, const std::string& start_arn) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!request.table_name.empty()) json.name("TableName").text(request.table_name);
  if (request.limit) json.name("Limit").integer(*request.limit);
  if (!start_arn.empty()) json.name("ExclusiveStartStreamArn").text(start_arn);
  json.end_object();
  return out;
}

std::string describe_stream_body(const DescribeStreamRequest& request, const std::string& arn) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("StreamArn").text(arn);
  if (request.limit) json.name("Limit").integer(*request.limit);
  if (!request.exclusive_start_shard_id.empty())
    json.name("ExclusiveStartShardId").text(request.exclusive_start_shard_id);
  if (!request.children_of.empty()) {
    json.name("ShardFilter").begin_object();
    json.name("Type").text("CHILD_SHARDS");
    json.name("ShardId").text(request.children_of);
    json.end_object();
  }
  json.end_object();
  return out;
}

std::string shard_iterator_body(const GetShardIteratorRequest& request, const std::string& arn) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("StreamArn").text(arn);
  json.name("ShardId").text(request.shard_id);
  json.name("ShardIteratorType").text(enum_name(request.type));
  if (!request.sequence_number.empty()) json.name("SequenceNumber").text(request.sequence_number);
  json.end_object();
  return out;
}

std::string get_records_body(const GetRecordsRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ShardIterator").text(request.shard_iterator);
  if (request.limit) json.name("Limit").integer(*request.limit);
  json.end_object();
  return out;
}

Result<RemoteStreams> read_remote_streams(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  RemoteStreams streams;
  for (const Fields& stream : in.structures("Streams", "Stream").value_or(std::vector<Fields>()))
    streams.arns.push_back(text_in(stream, "StreamArn"));
  streams.last_evaluated_arn = text_in(in, "LastEvaluatedStreamArn");
  TAVOLA_CHECK(problems.check());
  return streams;
}

ListStreamsResponse to_streams(const RemoteStreams& remote) {
  ListStreamsResponse response;
  for (const std::string& arn : remote.arns) {
    StreamSummary& summary = response.streams.emplace_back(stream_in(arn));
    summary.table_name = summary.stream.substr(0, summary.stream.find('/'));
    summary.label = summary.stream.substr(summary.stream.rfind('/') + 1);
  }
  response.last_evaluated_stream = stream_in(remote.last_evaluated_arn);
  return response;
}

Result<DescribeStreamResponse> read_stream(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  const auto fields = in.structure("StreamDescription", "StreamDescription", Presence::Required);
  TAVOLA_CHECK(problems.check());
  if (!fields) return fail(Error::internal("the response of DescribeStream has no StreamDescription"));
  DescribeStreamResponse response;
  StreamDescription& stream = response.stream;
  stream.stream = stream_in(text_in(*fields, "StreamArn"));
  stream.table_name = text_in(*fields, "TableName");
  stream.label = text_in(*fields, "StreamLabel");
  stream.status = fields->one_of<StreamStatus>("StreamStatus").value_or(StreamStatus::Enabled);
  stream.view = fields->one_of<StreamView>("StreamViewType").value_or(StreamView::KeysOnly);
  stream.created_at = time_in(*fields, "CreationRequestDateTime").value_or(WallTime());
  stream.key_schema = read_key_schema(*fields);
  for (const Fields& shard : fields->structures("Shards", "Shard").value_or(std::vector<Fields>()))
    stream.shards.push_back(read_shard(shard));
  stream.last_evaluated_shard_id = text_in(*fields, "LastEvaluatedShardId");
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<GetShardIteratorResponse> read_shard_iterator(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  GetShardIteratorResponse response{text_in(in, "ShardIterator")};
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<GetRecordsResponse> read_records(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  GetRecordsResponse response;
  for (const Fields& record : in.structures("Records", "Record").value_or(std::vector<Fields>()))
    response.records.push_back(read_record(record));
  response.next_shard_iterator = text_in(in, "NextShardIterator");
  TAVOLA_CHECK(problems.check());
  return response;
}

}  // namespace tavola::wire
