#include "engine/stream_catalog.h"

#include <algorithm>
#include <map>

#include "base/assert.h"
#include "engine/change_log.h"
#include "engine/change_number.h"
#include "engine/keys.h"
#include "engine/recovery.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

WallTime time_of(std::uint64_t milliseconds) {
  return WallTime(std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds)));
}

std::uint64_t milliseconds_of(WallTime time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

Error damaged() {
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
  if (list == record.end() || list->second.type() != Type::List) return fail(damaged());
  for (const Value& element : list->second.list()) {
    if (element.type() != Type::Map) return fail(damaged());
    const auto name = element.map().find("name");
    const auto type = integer_in(element.map(), "type", static_cast<std::int64_t>(KeyType::Range));
    if (!type || name == element.map().end() || !name->second.is_string()) return fail(damaged());
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
  if (!id || !view || !start || !end || !closed_at) return fail(damaged());
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
  const TableDescription& description = table.description;
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

}  // namespace

Result<std::uint64_t> end_of_log(const store::Store& store, TableId table) {
  std::uint64_t end = 0;
  const auto snapshot = store.snapshot();
  for (std::uint8_t shard = 0; shard < kChangeShards; ++shard) {
    const std::string prefix = changes_prefix(table, shard);
    const auto cursor = snapshot->range({prefix, prefix_successor(prefix)}, store::Direction::Backward);
    if (cursor->valid()) end = std::max(end, store::appended_number(cursor->key()) + 1);
    TAVOLA_CHECK(cursor->status());
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

// Two streams of one name differ in the moment, also when they are switched on within a millisecond.
Result<void> begin_stream(const StreamSwitch& on, TableDescription& description) {
  WallTime since = on.now;
  const auto snapshot = on.store.snapshot();
  const auto cursor = snapshot->range(closed_streams_of(description.table_name), store::Direction::Backward);
  if (cursor->valid()) {
    TAVOLA_TRY(const ClosedStreamKey last, decode_closed_stream_key(cursor->key()));
    since = std::max(since, time_of(last.since_ms + 1));
  }
  TAVOLA_CHECK(cursor->status());
  TAVOLA_TRY(const std::uint64_t end, end_of_log(on.store, on.table));
  description.stream_since = since;
  description.stream_start = std::max(end, first_number(on.now));
  return {};
}

Result<void> end_stream(const StreamSwitch& off, const TableDescription& description,
                        std::vector<store::Write>& writes) {
  if (!description.stream || !description.stream_since) return {};
  TAVOLA_TRY(const std::uint64_t end, end_of_log(off.store, off.table));
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

namespace {

Result<void> commit(store::Store& store, std::vector<store::Write> writes) {
  if (writes.empty()) return {};
  return store.transact(
      {}, {}, [&](const store::View&) -> Result<store::Decision> { return store::Decision{writes, {}}; });
}

Result<void> forget_closed_streams(store::Store& store, WallTime now) {
  Result<void> damage;
  std::vector<store::Write> writes;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(every_closed_stream(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const Result<ClosedStream> closed = decode(cursor->key(), cursor->value());
    if (!closed && damage) damage = fail(closed.error());
    if (!closed || now - closed->closed_at <= kChangeLifetime) continue;
    writes.push_back(store::Write::erase(std::string(cursor->key())));
    writes.push_back(
        store::Write::erase(stream_policy_key(closed->part.table, milliseconds_of(closed->part.name.since))));
  }
  TAVOLA_CHECK(cursor->status());
  TAVOLA_CHECK(commit(store, std::move(writes)));
  return damage;
}

// How far back the logs of tables must reach that can be restored to a moment. An hour more: a moment that may be asked for now
// may be a little older when the log is read.
struct RecoveryNeeds {
  std::map<std::uint32_t, WallTime> of_tables{};  // by id
  WallTime of_others{};
  Result<void> damage{};  // a record that cannot be read: `of_others` may be its table
};

WallTime reach(WallTime now, int days) { return now - std::chrono::days(days) - std::chrono::hours(1); }

Result<void> add_need(std::string_view record, WallTime now, RecoveryNeeds& needs) {
  TAVOLA_TRY(const std::shared_ptr<TableSchema> table, decode_schema(record));
  const auto& recovery = table->description.recovery;
  needs.of_tables.emplace(table->id.value(), recovery ? reach(now, recovery->days) : now - kChangeLifetime);
  return {};
}

Result<RecoveryNeeds> recovery_needs(const store::Snapshot& snapshot, WallTime now) {
  RecoveryNeeds needs{.of_others = now - kChangeLifetime};
  const auto cursor = snapshot.range(catalog_range(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const Result<bool> has_one = has_recovery(cursor->value());
    const Result<void> added = !has_one   ? Result<void>(fail(has_one.error()))
                               : *has_one ? add_need(cursor->value(), now, needs)
                                          : Result<void>();
    if (!added && needs.damage) needs.damage = added;
  }
  TAVOLA_CHECK(cursor->status());
  if (needs.damage) return needs;
  // What may be a damaged table's log is kept as long as any. Those of all others are known by their tables.
  needs.of_others = reach(now, kRecoveryDaysMax);
  const auto again = snapshot.range(catalog_range(), store::Direction::Forward);
  for (; again->valid(); again->next()) static_cast<void>(add_need(again->value(), now, needs));
  TAVOLA_CHECK(again->status());
  return needs;
}

}  // namespace

// One range for each shard that has something old, and a look at the first record of each: what is kept costs nothing. Nobody
// reads what is erased, since readers begin at the same moment (streams.cc).
Result<void> forget_old_changes(store::Store& store, WallTime now, const std::stop_token& stop) {
  store::KeyRange rest = every_change();
  const auto snapshot = store.snapshot();
  TAVOLA_TRY(const RecoveryNeeds needs, recovery_needs(*snapshot, now));
  while (!stop.stop_requested()) {
    const auto cursor = snapshot->range(rest, store::Direction::Forward);
    if (!cursor->valid()) {
      TAVOLA_CHECK(cursor->status());
      break;
    }
    const std::string first(cursor->key());
    std::string end(changes_prefix_of(first));
    rest.from = prefix_successor(end);
    TAVOLA_TRY(const TableId table, table_of_change_key(first));
    const auto need = needs.of_tables.find(table.value());
    const std::uint64_t oldest = first_number(need == needs.of_tables.end() ? needs.of_others : need->second);
    if (store::appended_number(first) >= oldest) continue;
    append_ordered_u64(end, oldest);
    TAVOLA_CHECK(commit(store, {store::Write::erase_range(first, std::move(end))}));
  }
  const Result<void> closed = forget_closed_streams(store, now);
  return needs.damage ? closed : needs.damage;
}

}  // namespace tavola::engine
