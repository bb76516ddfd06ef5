#include "json/writer.h"
#include "wire/codec/operations.h"
#include "wire/codec/stream_shapes.h"

namespace tavola::wire {

Result<std::string> get_shard_iterator(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  GetShardIteratorRequest request;
  request.stream = read_stream_arn(in, "StreamArn", Presence::Required);
  request.shard_id = read_sized_text(in, "ShardId", kShardIdLengths, Presence::Required);
  request.type = in.one_of<ShardIteratorType>("ShardIteratorType", Presence::Required)
                     .value_or(ShardIteratorType::TrimHorizon);
  request.sequence_number = read_sized_text(in, "SequenceNumber", kSequenceNumberLengths);
  TAVOLA_CHECK(problems.check());
  const Result<GetShardIteratorResponse> response = call.database.get_shard_iterator(request);
  if (!response) return fail(stream_error(call.server, request.stream, response.error()));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ShardIterator").text(stream_arn(call.server, response->shard_iterator));
  json.end_object();
  return out;
}

}  // namespace tavola::wire
