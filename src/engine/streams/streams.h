// The operations of DynamoDB Streams: streams, their shards, positions in them, and the records from there on.
#pragma once

#include <tavola/streams.h>

#include "base/clock.h"
#include "store/store.h"

namespace tavola::engine {

Result<ListStreamsResponse> list_streams(const store::Store& store, const ListStreamsRequest& request);
Result<DescribeStreamResponse> describe_stream(const store::Store& store,
                                               const DescribeStreamRequest& request);
Result<GetShardIteratorResponse> get_shard_iterator(store::Store& store,
                                                    const GetShardIteratorRequest& request, WallTime now);
Result<GetRecordsResponse> get_records(store::Store& store, const GetRecordsRequest& request, WallTime now);

}  // namespace tavola::engine
