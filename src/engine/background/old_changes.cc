#include "engine/background/old_changes.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/backups/recovery.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"
#include "engine/records/schema.h"
#include "engine/write/change_log.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

// How far back the logs of tables with point-in-time recovery must reach. An hour is added: a time that may be
// requested now may be a little older when the log is read.
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
  // A log that may belong to a damaged table is kept as long as any. All others are known by their tables.
  needs.of_others = reach(now, kRecoveryDaysMax);
  const auto again = snapshot.range(catalog_range(), store::Direction::Forward);
  for (; again->valid(); again->next()) static_cast<void>(add_need(again->value(), now, needs));
  TAVOLA_CHECK(again->status());
  return needs;
}

}  // namespace

// Erases one range per shard that has old changes, after a look at the first record of each: kept changes cost nothing.
// No reader needs the erased ones, because readers start at the same time (streams.cc).
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
    const std::vector writes{store::Write::erase_range(first, std::move(end))};
    TAVOLA_CHECK(store.transact(
        {}, {}, [&](const store::View&) -> Result<store::Decision> { return store::Decision{writes, {}}; }));
  }
  const Result<void> closed = forget_closed_streams(store, now - kChangeLifetime);
  return needs.damage ? closed : needs.damage;
}

}  // namespace tavola::engine
