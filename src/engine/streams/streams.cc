#include "engine/streams/streams.h"

#include <algorithm>

#include "base/digest.h"
#include "base/encoding.h"
#include "database/constraints.h"
#include "database/enum_names.h"
#include "database/item_key.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/checks/messages.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"
#include "engine/streams/shard_iterator.h"
#include "engine/write/change_log.h"
#include "value/key_codec.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

constexpr std::chrono::minutes kIteratorLifetime{15};

Result<void> check_limit(std::optional<int> limit, int most, std::string_view refusal) {
  Constraints constraints;
  constraints.check_at_least(1, limit, "limit");
  TAVOLA_CHECK(constraints.check());
  if (limit && *limit > most) return fail(invalid_parameter(std::string(refusal) + std::to_string(most)));
  return {};
}

Error stream_not_found(std::string_view stream) {
  return Error::resource_not_found("Requested resource not found: Stream: " + std::string(stream) +
                                   " not found");
}

Error shard_not_found(std::string_view shard) {
  return Error::resource_not_found("Requested resource not found: Shard: " + std::string(shard) +
                                   " not found");
}

Error trimmed() {
  return {ErrorCode::TrimmedDataAccess,
          "The operation attempted to read past the oldest stream record in a shard."};
}

Result<StreamPart> existing_stream(const store::Store& store, std::string_view stream) {
  const auto name = parse_stream_name(stream);
  if (!name) return fail(Error::validation("Invalid StreamArn"));
  TAVOLA_TRY(std::optional<StreamPart> found, find_stream(store, *name));
  if (!found) return fail(stream_not_found(stream));
  return *std::move(found);
}

Shard describe_shard(const StreamPart& stream, std::uint32_t number) {
  Shard shard{.shard_id = shard_id(stream.name.since, number),
              .starting_sequence_number = sequence_number(stream.start)};
  if (stream.end) shard.ending_sequence_number = sequence_number(std::max(stream.start + 1, *stream.end) - 1);
  return shard;
}

// Returns the position of the shard's oldest readable records.
std::uint64_t horizon_of(const StreamPart& stream, WallTime now) {
  return std::max(stream.start, first_number(now - kChangeLifetime));
}

Result<std::uint64_t> position_of(const StreamPart& stream, const GetShardIteratorRequest& request) {
  const auto number = parse_sequence_number(request.sequence_number);
  const bool is_after = request.type == ShardIteratorType::AfterSequenceNumber;
  if (!number || *number < stream.start || (stream.end && *number > *stream.end)) {
    return fail(invalid_parameter("Invalid SequenceNumber " + request.sequence_number + " for shard " +
                                  request.shard_id));
  }
  return *number + (is_after ? 1 : 0);
}

Result<void> check_sequence_number(const GetShardIteratorRequest& request) {
  const bool needs_number = request.type == ShardIteratorType::AtSequenceNumber ||
                            request.type == ShardIteratorType::AfterSequenceNumber;
  if (needs_number == !request.sequence_number.empty()) return {};
  const std::string type(enum_name(request.type));
  return fail(invalid_parameter(needs_number
                                    ? "SequenceNumber is required with ShardIteratorType " + type
                                    : "SequenceNumber must not be given with ShardIteratorType " + type));
}

// Stable, and different for every record.
std::string event_id(const StreamPart& stream, std::string_view key) {
  return to_hex(md5(stream.name.table_name + std::string(key)));
}

// Returns nullopt if clients see no change.
Result<std::optional<StreamRecord>> to_record(const StreamPart& stream, std::string_view key,
                                              std::string_view value) {
  TAVOLA_TRY(const LoggedChange change, decode_change(value));
  if (change.is_ours) return std::optional<StreamRecord>();
  const std::uint64_t number = store::appended_number(key);
  const KeptImages shown = kept_images(stream.view);
  StreamRecord record{.event_id = event_id(stream, key),
                      .kind = change.kind,
                      .sequence_number = sequence_number(number),
                      .created_at = moment_of(number),
                      .view = stream.view,
                      .keys = key_of_item(stream.key, change.item()),
                      .by_time_to_live = change.by_time_to_live};
  std::size_t bytes = item_size(record.keys.view());
  if (shown.after && change.after) {
    record.new_image.emplace(*change.after);
    bytes += item_size(*change.after);
  }
  if (shown.before && change.before) {
    record.old_image.emplace(*change.before);
    bytes += item_size(*change.before);
  }
  record.size_bytes = static_cast<std::int64_t>(bytes);
  return std::optional(std::move(record));
}

// A stream, and how far its shard may be read now, determined before anything is read: the next call sees later
// commits, whatever their number. A stream that was switched off has all its records.
struct SettledStream {
  std::optional<StreamPart> stream;
  std::uint64_t settled = 0;
};

Result<SettledStream> find_settled(store::Store& store, const StreamName& name, std::uint8_t shard) {
  SettledStream found;
  TAVOLA_TRY(found.stream, find_stream(store, name));
  if (!found.stream || found.stream->end) return found;
  TAVOLA_TRY(found.settled, store.settled(changes_prefix(found.stream->table, shard)));
  // Looked up again: if it was switched off, and another one on, in between, the settled number is not that of this
  // one.
  TAVOLA_TRY(found.stream, find_stream(store, name));
  return found;
}

// Returns the position of future records. For an open stream it is not after its newest one: another writer may be
// about to commit a smaller number.
Result<std::uint64_t> latest(store::Store& store, const StreamPart& stream, std::uint8_t shard) {
  TAVOLA_TRY(const SettledStream now, find_settled(store, stream.name, shard));
  const std::optional<std::uint64_t> end = now.stream ? now.stream->end : stream.end;
  return std::max(stream.start, end.value_or(now.settled));
}

// The records of a shard in [from, to), as many as fit.
struct ShardRead {
  const StreamPart& stream;
  std::uint8_t shard;
  std::uint64_t from;
  std::uint64_t to;
  std::size_t limit;
};
struct ReadRecords {
  std::vector<StreamRecord> records{};
  std::uint64_t next = 0;  // the smallest number that was not read
  bool is_all = true;
};

Result<ReadRecords> read_records(const store::Store& store, const ShardRead& reading) {
  ReadRecords read{.next = reading.from};
  std::size_t bytes = 0;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range({change_key(reading.stream.table, reading.shard, reading.from),
                                       change_key(reading.stream.table, reading.shard, reading.to)},
                                      store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const bool is_full = read.records.size() == reading.limit || bytes >= limits::kPageBytesMax;
    if (is_full || (!read.records.empty() && bytes + cursor->value().size() > limits::kPageBytesMax)) {
      read.is_all = false;
      break;
    }
    TAVOLA_TRY(std::optional<StreamRecord> record, to_record(reading.stream, cursor->key(), cursor->value()));
    bytes += cursor->value().size();
    read.next = store::appended_number(cursor->key()) + 1;
    if (record) read.records.push_back(*std::move(record));
  }
  TAVOLA_CHECK(cursor->status());
  return read;
}

}  // namespace

Result<ListStreamsResponse> list_streams(const store::Store& store, const ListStreamsRequest& request) {
  TAVOLA_CHECK(
      check_limit(request.limit, limits::kListStreamsMax, "Limit cannot be greater than the maximum: "));
  const std::size_t limit = static_cast<std::size_t>(request.limit.value_or(limits::kListStreamsMax));
  std::optional<StreamName> after;
  if (!request.exclusive_start_stream.empty()) {
    after = parse_stream_name(request.exclusive_start_stream);
    if (!after) return fail(Error::validation("Invalid StreamArn"));
  }
  TAVOLA_TRY(const std::vector<StreamPart> streams, all_streams(store, request.table_name));
  ListStreamsResponse response;
  for (const StreamPart& stream : streams) {
    const StreamName& name = stream.name;
    if (after && std::tie(name.table_name, name.since) <= std::tie(after->table_name, after->since)) continue;
    if (response.streams.size() == limit) {
      response.last_evaluated_stream = response.streams.back().stream;
      break;
    }
    response.streams.push_back({to_text(name), name.table_name, stream_label(name.since)});
  }
  return response;
}

Result<DescribeStreamResponse> describe_stream(const store::Store& store,
                                               const DescribeStreamRequest& request) {
  TAVOLA_CHECK(
      check_limit(request.limit, limits::kDescribedShardsMax, "Limit cannot be greater than the maximum: "));
  TAVOLA_TRY(const StreamPart stream, existing_stream(store, request.stream));
  StreamDescription description{.stream = request.stream,
                                .table_name = stream.name.table_name,
                                .label = stream_label(stream.name.since),
                                .status = stream.end ? StreamStatus::Disabled : StreamStatus::Enabled,
                                .view = stream.view,
                                .created_at = stream.name.since,
                                .key_schema = stream.key};
  const std::size_t limit = static_cast<std::size_t>(request.limit.value_or(limits::kDescribedShardsMax));
  // Shards are never divided: none has children.
  const std::uint32_t count = request.children_of.empty() ? kChangeShards : 0;
  for (std::uint32_t number = 0; number < count; ++number) {
    Shard shard = describe_shard(stream, number);
    if (!request.exclusive_start_shard_id.empty() && shard.shard_id <= request.exclusive_start_shard_id)
      continue;
    if (description.shards.size() == limit) {
      description.last_evaluated_shard_id = description.shards.back().shard_id;
      break;
    }
    description.shards.push_back(std::move(shard));
  }
  return DescribeStreamResponse{std::move(description)};
}

Result<GetShardIteratorResponse> get_shard_iterator(store::Store& store,
                                                    const GetShardIteratorRequest& request, WallTime now) {
  Constraints constraints;
  constraints.check_enum(request.type, "shardIteratorType");
  TAVOLA_CHECK(constraints.check());
  TAVOLA_CHECK(check_sequence_number(request));
  TAVOLA_TRY(const StreamPart stream, existing_stream(store, request.stream));
  const auto shard = parse_shard_id(stream.name.since, request.shard_id);
  if (!shard || *shard >= kChangeShards) return fail(shard_not_found(request.shard_id));
  ShardIterator iterator{.stream = stream.name, .shard = *shard, .issued = now};
  const std::uint64_t horizon = horizon_of(stream, now);
  switch (request.type) {
    case ShardIteratorType::TrimHorizon:
      iterator.position = horizon;
      break;
    case ShardIteratorType::Latest: {
      TAVOLA_TRY(iterator.position, latest(store, stream, static_cast<std::uint8_t>(*shard)));
      break;
    }
    case ShardIteratorType::AtSequenceNumber:
    case ShardIteratorType::AfterSequenceNumber: {
      TAVOLA_TRY(iterator.position, position_of(stream, request));
      // No record has the number at which a shard starts: it means the oldest record.
      iterator.misses_what_is_trimmed = iterator.position != stream.start;
      if (iterator.misses_what_is_trimmed && iterator.position < horizon) return fail(trimmed());
      break;
    }
  }
  return GetShardIteratorResponse{to_text(iterator)};
}

Result<GetRecordsResponse> get_records(store::Store& store, const GetRecordsRequest& request, WallTime now) {
  const auto iterator = parse_shard_iterator(request.shard_iterator);
  if (!iterator || iterator->shard >= kChangeShards) return fail(Error::validation("Invalid ShardIterator"));
  if (now - iterator->issued > kIteratorLifetime) {
    return fail(
        Error(ErrorCode::ExpiredIterator,
              "The shard iterator has expired and can no longer be used to retrieve stream records. A "
              "shard iterator expires 15 minutes after it is retrieved using the GetShardIterator action."));
  }
  TAVOLA_CHECK(
      check_limit(request.limit, limits::kStreamRecordsMax, "Limit should be less than or equal to "));
  const auto shard = static_cast<std::uint8_t>(iterator->shard);
  TAVOLA_TRY(const SettledStream found, find_settled(store, iterator->stream, shard));
  const std::optional<StreamPart>& stream = found.stream;
  if (!stream) return fail(stream_not_found(to_text(iterator->stream)));
  const std::uint64_t horizon = horizon_of(*stream, now);
  if (iterator->misses_what_is_trimmed && iterator->position < horizon) return fail(trimmed());
  const std::uint64_t from = std::max(iterator->position, horizon);
  TAVOLA_TRY(ReadRecords read, read_records(store, {.stream = *stream,
                                                    .shard = shard,
                                                    .from = from,
                                                    .to = std::max(from, stream->end.value_or(found.settled)),
                                                    .limit = static_cast<std::size_t>(
                                                        request.limit.value_or(limits::kStreamRecordsMax))}));
  GetRecordsResponse response{.records = std::move(read.records)};
  if (read.is_all && stream->end) return response;
  response.next_shard_iterator = to_text(ShardIterator{.stream = iterator->stream,
                                                       .shard = iterator->shard,
                                                       .position = read.next,
                                                       .issued = now,
                                                       .misses_what_is_trimmed = !read.is_all});
  return response;
}

}  // namespace tavola::engine
