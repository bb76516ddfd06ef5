// Requests of DynamoDB Streams as JSON, and their responses. A remote stream has an ARN; a Database uses the part after
// "table/" (tavola/streams.h).
#pragma once

#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/streams.h>

#include "wire/codec/json.h"

namespace tavola::wire {

struct RemoteStreams {
  std::vector<std::string> arns;
  std::string last_evaluated_arn;
};

std::string list_streams_body(const ListStreamsRequest& request, const std::string& start_arn);
std::string describe_stream_body(const DescribeStreamRequest& request, const std::string& arn);
std::string shard_iterator_body(const GetShardIteratorRequest& request, const std::string& arn);
std::string get_records_body(const GetRecordsRequest& request);

Result<RemoteStreams> read_remote_streams(JsonValue body);
ListStreamsResponse to_streams(const RemoteStreams& remote);
Result<DescribeStreamResponse> read_stream(JsonValue body);
Result<GetShardIteratorResponse> read_shard_iterator(JsonValue body);
Result<GetRecordsResponse> read_records(JsonValue body);

}  // namespace tavola::wire
