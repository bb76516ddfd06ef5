#include "json/writer.h"
#include "wire/codec/operations.h"
#include "wire/codec/stream_shapes.h"

namespace tavola::wire {

Result<std::string> get_records(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const std::string iterator = read_sized_text(in, "ShardIterator", {1, 2048}, Presence::Required);
  GetRecordsRequest request;
  if (const auto limit = in.integer("Limit", kInteger, {.least = 1}))
    request.limit = static_cast<int>(*limit);
  TAVOLA_CHECK(problems.check());
  request.shard_iterator = resource_in_arn(iterator).value_or(std::string_view());
  const Result<GetRecordsResponse> response = call.database.get_records(request);
  if (!response) {
    const std::string_view stream =
        std::string_view(request.shard_iterator).substr(0, request.shard_iterator.find('|'));
    return fail(stream_error(call.server, stream, response.error()));
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!response->next_shard_iterator.empty())
    json.name("NextShardIterator").text(stream_arn(call.server, response->next_shard_iterator));
  json.name("Records").begin_list();
  for (const StreamRecord& record : response->records) write_record(json, record, call.server);
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::wire
