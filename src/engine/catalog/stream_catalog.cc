#include "engine/catalog/stream_catalog.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

WallTime time_of(std::uint64_t milliseconds) {
  return WallTime(std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds)));
}

std::uint64_t milliseconds_of(WallTime time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

Error damaged_stream() {
  return Error::corrupt("The record of a stream is damaged. Restore the data directory from a backup.");
}

// ---- The record of a stream that was switched off ----
// A packed item: the table's id, view, start, end, when it was switched off, and the table's key.

struct ClosedStream {
  StreamPart part;
  WallTime closed_at;
};

Result<std::string> encode(const ClosedStream& closed) {
  List key;
  for (const KeySchemaElement& element : closed.part.key)
    key.emplace_back(Map{{"name", element.name}, {"type", static_cast<int>(element.type)}});
  TAVOLA_TRY(const PackedItem packed, pack({{"id", closed.part.table.value()},
                                            {"view", static_cast<int>(closed.part.view)},
                                            {"start", static_cast<std::int64_t>(closed.part.start)},
                                            {"end", static_cast<std::int64_t>(closed.part.end.value_or(0))},
                                            {"closed_at_ms", closed.closed_at.time_since_epoch().count()},
                                            {"key", key}}));
  return packed.bytes();
}

std::optional<std::int64_t> integer_in(const Map& record, std::string_view name, std::int64_t most) {
  const auto found = record.find(name);
  if (found == record.end() || found->second.type() != Type::Number) return std::nullopt;
  const auto number = found->second.number().to_int64();
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

Result<std::vector<KeySchemaElement>> decode_key(const Item& record) {
  std::vector<KeySchemaElement> key;
  const auto list = record.find("key");
  if (list == record.end() || list->second.type() != Type::List) return fail(damaged_stream());
  for (const Value& element : list->second.list()) {
    if (element.type() != Type::Map) return fail(damaged_stream());
    const auto name = element.map().find("name");
    const auto type = integer_in(element.map(), "type", static_cast<std::int64_t>(KeyType::Range));
    if (!type || name == element.map().end() || !name->second.is_string()) return fail(damaged_stream());
    key.push_back({name->second.string(), static_cast<KeyType>(*type)});
  }
  return key;
}

Result<ClosedStream> decode(std::string_view store_key, std::string_view bytes) {
  TAVOLA_CHECK(check_packed(bytes));
  TAVOLA_TRY(ClosedStreamKey name, decode_closed_stream_key(store_key));
  const Item record = ItemView(bytes).unpack();
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  const auto id = integer_in(record, "id", std::numeric_limits<std::uint32_t>::max());
  const auto view = integer_in(record, "view", static_cast<std::int64_t>(StreamView::NewAndOldImages));
  const auto start = integer_in(record, "start", kAny);
  const auto end = integer_in(record, "end", kAny);
  const auto closed_at = integer_in(record, "closed_at_ms", kAny);
  if (!id || !view || !start || !end || !closed_at) return fail(damaged_stream());
  TAVOLA_TRY(std::vector<KeySchemaElement> key, decode_key(record));
  return ClosedStream{.part = {.name = {std::move(name.table_name), time_of(name.since_ms)},
                               .table = TableId(static_cast<std::uint32_t>(*id)),
                               .view = static_cast<StreamView>(*view),
                               .key = std::move(key),
                               .start = static_cast<std::uint64_t>(*start),
                               .end = static_cast<std::uint64_t>(*end)},
                      .closed_at = WallTime(std::chrono::milliseconds(*closed_at))};
}

std::optional<StreamPart> open_stream(const TableSchema& table) {
  const TableRecord& description = table.description;
  if (!description.stream || !description.stream_since) return std::nullopt;
  return StreamPart{.name = {description.table_name, *description.stream_since},
                    .table = table.id,
                    .view = *description.stream,
                    .key = description.key_schema,
                    .start = description.stream_start,
                    .end = std::nullopt};
}

Result<void> add_open_streams(const store::Snapshot& snapshot, const store::KeyRange& range,
                              std::vector<StreamPart>& streams) {
  const auto cursor = snapshot.range(range, store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    TAVOLA_TRY(const bool has_one, has_stream(cursor->value()));
    if (!has_one) continue;
    TAVOLA_TRY(const std::shared_ptr<TableSchema> table, decode_schema(cursor->value()));
    if (auto stream = open_stream(*table)) streams.push_back(*std::move(stream));
  }
  return cursor->status();
}

Result<void> add_closed_streams(const store::Snapshot& snapshot, const store::KeyRange& range,
                                std::vector<StreamPart>& streams) {
  const auto cursor = snapshot.range(range, store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    TAVOLA_TRY(ClosedStream closed, decode(cursor->key(), cursor->value()));
    streams.push_back(std::move(closed.part));
  }
  return cursor->status();
}

// Returns the last key of a range; nothing if the range is empty, or was not read yet.
std::optional<std::string> last_key(store::RuleReads& reads, const store::KeyRange& range) {
  const store::RangeEntries* const last =
      reads.find({.range = range, .direction = store::Direction::Backward, .entries_max = 1});
  return last == nullptr || last->empty() ? std::nullopt : std::optional(last->front().key);
}

}  // namespace

std::uint64_t end_of_log(store::RuleReads& reads, TableId table) {
  std::uint64_t end = 0;
  for (std::uint8_t shard = 0; shard < kChangeShards; ++shard) {
    const std::string prefix = changes_prefix(table, shard);
    const std::optional<std::string> last = last_key(reads, {prefix, prefix_successor(prefix)});
    if (last) end = std::max(end, store::appended_number(*last) + 1);
  }
  return end;
}

Result<std::vector<StreamPart>> all_streams(const store::Store& store, std::string_view table_name) {
  std::vector<StreamPart> streams;
  const auto snapshot = store.snapshot();
  const std::string record = catalog_key(table_name);
  TAVOLA_CHECK(add_open_streams(
      *snapshot, table_name.empty() ? catalog_range() : store::KeyRange{record, record + '\0'}, streams));
  TAVOLA_CHECK(add_closed_streams(
      *snapshot, table_name.empty() ? every_closed_stream() : closed_streams_of(table_name), streams));
  std::ranges::sort(streams, [](const StreamPart& a, const StreamPart& b) {
    return std::tie(a.name.table_name, a.name.since) < std::tie(b.name.table_name, b.name.since);
  });
  return streams;
}

Result<std::optional<StreamPart>> find_stream(const store::Store& store, const StreamName& name) {
  const auto snapshot = store.snapshot();
  TAVOLA_TRY(const std::optional<std::string> record, snapshot->get(catalog_key(name.table_name)));
  if (record) {
    TAVOLA_TRY(const std::shared_ptr<TableSchema> table, decode_schema(*record));
    std::optional<StreamPart> stream = open_stream(*table);
    if (stream && stream->name == name) return stream;
  }
  const std::string key = closed_stream_key({name.table_name, milliseconds_of(name.since)});
  TAVOLA_TRY(const std::optional<std::string> closed, snapshot->get(key));
  if (!closed) return std::optional<StreamPart>();
  TAVOLA_TRY(ClosedStream stream, decode(key, *closed));
  return std::optional(std::move(stream.part));
}

// Two streams of one name differ in their time, even if they are switched on within a millisecond.
Result<void> begin_stream(const StreamSwitch& on, TableRecord& description) {
  WallTime since = on.now;
  if (const std::optional<std::string> key = last_key(on.reads, closed_streams_of(description.table_name))) {
    TAVOLA_TRY(const ClosedStreamKey last, decode_closed_stream_key(*key));
    since = std::max(since, time_of(last.since_ms + 1));
  }
  description.stream_since = since;
  description.stream_start = std::max(end_of_log(on.reads, on.table), first_number(on.now));
  return {};
}

Result<void> end_stream(const StreamSwitch& off, const TableRecord& description,
                        std::vector<store::Write>& writes) {
  if (!description.stream || !description.stream_since) return {};
  const std::uint64_t end = end_of_log(off.reads, off.table);
  const ClosedStream closed{.part = {.name = {description.table_name, *description.stream_since},
                                     .table = off.table,
                                     .view = *description.stream,
                                     .key = description.key_schema,
                                     .start = description.stream_start,
                                     .end = std::max(end, description.stream_start)},
                            .closed_at = off.now};
  TAVOLA_TRY(std::string record, encode(closed));
  const std::uint64_t since_ms = milliseconds_of(closed.part.name.since);
  writes.push_back(
      store::Write::put(closed_stream_key({description.table_name, since_ms}), std::move(record)));
  return {};
}

Result<void> forget_closed_streams(store::Store& store, WallTime closed_before) {
  Result<void> damage;
  std::vector<store::Write> writes;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(every_closed_stream(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const Result<ClosedStream> closed = decode(cursor->key(), cursor->value());
    if (!closed && damage) damage = fail(closed.error());
    if (!closed || closed->closed_at >= closed_before) continue;
    writes.push_back(store::Write::erase(std::string(cursor->key())));
    writes.push_back(
        store::Write::erase(stream_policy_key(closed->part.table, milliseconds_of(closed->part.name.since))));
  }
  TAVOLA_CHECK(cursor->status());
  if (!writes.empty()) {
    TAVOLA_CHECK(store.transact(
        {}, {}, [&](const store::View&) -> Result<store::Decision> { return store::Decision{writes, {}}; }));
  }
  return damage;
}

}  // namespace tavola::engine
