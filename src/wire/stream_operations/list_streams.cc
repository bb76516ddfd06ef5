#include "json/writer.h"
#include "wire/codec/operations.h"
#include "wire/codec/stream_shapes.h"

namespace tavola::wire {

Result<std::string> list_streams(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  ListStreamsRequest request;
  request.table_name = in.name("TableName").value_or(std::string());
  if (const auto limit = in.integer("Limit", kInteger, {.least = 1}))
    request.limit = static_cast<int>(*limit);
  request.exclusive_start_stream = read_stream_arn(in, "ExclusiveStartStreamArn");
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ListStreamsResponse response, call.database.list_streams(request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!response.last_evaluated_stream.empty()) {
    json.name("LastEvaluatedStreamArn").text(stream_arn(call.server, response.last_evaluated_stream));
  }
  json.name("Streams").begin_list();
  for (const StreamSummary& stream : response.streams) {
    json.begin_object();
    json.name("StreamArn").text(stream_arn(call.server, stream.stream));
    json.name("StreamLabel").text(stream.label);
    json.name("TableName").text(stream.table_name);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::wire
