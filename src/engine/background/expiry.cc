#include "engine/background/expiry.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "database/constraints.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "engine/write/expiry_entries.h"
#include "engine/write/request_writes.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// Separates the name of a table from the id in a mark. Names of tables cannot contain it.
constexpr char kBehindName = '/';

// Their locks are held together, and their items are in memory together: up to 400 KB each.
constexpr std::size_t kItemsPerTransaction = 25;

std::uint64_t seconds_of(WallTime time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

// AWS leaves items alone whose time lies more than five years back: likely it was never meant as a time.
std::uint64_t oldest_due(std::uint64_t now) {
  constexpr std::uint64_t kFiveYears = std::uint64_t{5} * 365 * 24 * 60 * 60;
  return now > kFiveYears ? now - kFiveYears : 0;
}

// Deletes the items whose entries are given, unless they were changed since. Returns how many were deleted.
Result<std::size_t> expire(store::Store& store, const TableSchema& table, const std::vector<Expiry>& due,
                           const WriteContext& context) {
  const expr::Condition no_condition;
  std::vector<ItemWrite> writes;
  for (const Expiry& expiry : due) {
    const auto remove = [&table,
                         &expiry](const std::optional<ItemView>& item) -> Result<std::optional<PackedItem>> {
      const bool is_due = expiry_of(table, item) == expiry.seconds;
      return item && !is_due ? std::optional(PackedItem(*item)) : std::nullopt;
    };
    ItemWrite write{table,          expiry.item_key, no_condition, ReturnValuesOnConditionCheckFailure::None,
                    KeepBefore::No, remove};
    write.expires = true;
    writes.push_back(std::move(write));
  }
  std::size_t expired = 0;
  const auto drop_stale_entries = [&](std::span<const WantedImages> images,
                                      std::vector<store::Write>& erasures) {
    expired = 0;
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (expiry_of(table, images[i].before) == due[i].seconds) {
        ++expired;
      } else {
        erasures.push_back(store::Write::erase(expiry_key(due[i].seconds, due[i].item_key)));
      }
    }
  };
  const RequestSteps steps{.also = drop_stale_entries};
  RequestWrites together(writes, context, steps);
  TAVOLA_CHECK(together.run(store));
  return expired;
}

// Writes the entries of these items, as they are now.
Result<void> collect_items(store::Store& store, const TableSchema& table,
                           const std::vector<std::string>& keys) {
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::optional<ItemView> item;
      if (view[i]) item.emplace(*view[i]);
      change_expiry(table, keys[i], std::nullopt, item, decision.writes);
    }
    return decision;
  };
  const std::array guards{table_guard(table)};
  return store.transact(keys, guards, rule);
}

}  // namespace

Result<void> check_time_to_live(const UpdateTimeToLiveRequest& request) {
  const std::string& name = request.attribute_name;
  if (!name.empty() && name.size() <= limits::kKeyAttributeNameBytesMax) return {};
  return fail(broken_constraint(
      name, "timeToLiveSpecification.attributeName",
      name.empty() ? "have length greater than or equal to 1" : "have length less than or equal to 255"));
}

Catalog::Change time_to_live_change(const UpdateTimeToLiveRequest& request, Random& random) {
  return [&request, mark = make_uuid(random)](Catalog::TableChange& change) -> Result<void> {
    const TableId id = change.table.id;
    std::optional<std::string>& attribute = change.description.time_to_live_attribute;
    if (attribute && *attribute != request.attribute_name) {
      return fail(time_to_live_on_other_attribute(*attribute));
    }
    if (attribute.has_value() == request.enabled) {
      return fail(time_to_live_already(request.enabled ? "enabled" : "disabled"));
    }
    if (request.enabled) {
      attribute = request.attribute_name;
      change.also.push_back(
          store::Write::put(collecting_key(id), change.description.table_name + kBehindName + mark));
      return {};
    }
    attribute.reset();
    const store::KeyRange expiries = all_expiries(id);
    change.also.push_back(store::Write::erase_range(expiries.from, expiries.to));
    change.also.push_back(store::Write::erase(collecting_key(id)));
    return {};
  };
}

Result<void> ExpirySweep::run(const BackgroundPass& pass) {
  Result<void> outcome;
  for (const Collecting& collecting : tables_to_collect(pass, outcome))
    pass.note(outcome, collect(pass, collecting));
  for (const std::string& name : tables_to_sweep(pass, outcome)) pass.note(outcome, sweep_table(pass, name));
  return outcome;
}

std::vector<ExpirySweep::Collecting> ExpirySweep::tables_to_collect(const BackgroundPass& pass,
                                                                    Result<void>& outcome) {
  std::vector<Collecting> tables;
  const auto snapshot = store_.snapshot();
  const auto cursor = snapshot->range(all_collecting(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const Result<TableId> id = table_of_collecting_key(cursor->key());
    if (!id) pass.note(outcome, fail(id.error()));
    const std::string_view mark = cursor->value();
    if (id) tables.push_back({*id, std::string(mark.substr(0, mark.find(kBehindName))), std::string(mark)});
  }
  pass.note(outcome, cursor->status());
  return tables;
}

// Reads the records, not the catalog, which would decode and keep every table.
std::vector<std::string> ExpirySweep::tables_to_sweep(const BackgroundPass& pass, Result<void>& outcome) {
  std::vector<std::string> names;
  const auto snapshot = store_.snapshot();
  const auto cursor = snapshot->range(catalog_range(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const Result<bool> sweeps = has_time_to_live(cursor->value());
    if (!sweeps) pass.note(outcome, fail(sweeps.error()));
    if (sweeps && *sweeps) names.emplace_back(table_name_in(cursor->key()));
  }
  pass.note(outcome, cursor->status());
  return names;
}

Result<void> ExpirySweep::collect(const BackgroundPass& pass, const Collecting& collecting) {
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(collecting.name));
  // The marker is outdated or the table is gone; the next pass decides.
  if (!table || table->id != collecting.table || !table->description.time_to_live_attribute) return {};
  const auto snapshot = store_.snapshot();
  const auto cursor =
      snapshot->range(entry_range(table->id, kTableItself, 0, 0x10000), store::Direction::Forward);
  std::vector<std::string> keys;
  for (; cursor->valid() && !pass.stopping(); cursor->next()) {
    if (expiry_of(*table, ItemView(cursor->value()))) keys.emplace_back(cursor->key());
    if (keys.size() < kItemsPerTransaction) continue;
    TAVOLA_CHECK(collect_items(store_, *table, keys));
    keys.clear();
  }
  TAVOLA_CHECK(cursor->status());
  if (pass.stopping()) return {};
  if (!keys.empty()) TAVOLA_CHECK(collect_items(store_, *table, keys));
  const std::string done[] = {collecting_key(table->id)};
  const std::array guards{table_guard(*table)};
  return store_.transact(done, guards, [&](const store::View& view) -> Result<store::Decision> {
    // If time to live was switched off and on again, the record is the same, and items written in between have no entries.
    if (view[0] != std::optional<std::string_view>(collecting.mark)) return store::Decision{};
    return store::Decision{{store::Write::erase(done[0])}, {}};
  });
}

// An item that cannot be deleted must not keep the others of its transaction: then each is deleted alone.
Result<void> ExpirySweep::expire_group(const BackgroundPass& pass, const TableSchema& table,
                                       const std::vector<Expiry>& due) {
  const WriteContext context{.now = clock_.now(), .random = &random_};
  const auto expire_counted = [&](const std::vector<Expiry>& some) -> Result<void> {
    TAVOLA_TRY(const std::size_t count, expire(store_, table, some, context));
    expired_.fetch_add(count, std::memory_order_relaxed);
    return {};
  };
  Result<void> together = expire_counted(due);
  const bool is_refused = !together && together.error().code() < ErrorCode::Internal;
  if (!is_refused) return together;
  Result<void> outcome;
  for (const Expiry& one : due) pass.note(outcome, expire_counted({one}));
  return outcome;
}

// One snapshot defines what is due, so that writers of expired items cannot keep a pass from ending.
Result<void> ExpirySweep::sweep_table(const BackgroundPass& pass, std::string_view name) {
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(name));
  if (!table || !table->description.time_to_live_attribute) return {};
  const std::uint64_t now = seconds_of(clock_.now());
  store::KeyRange due = expiries_until(table->id, now);
  due.from = expiries_until(table->id, oldest_due(now)).to;
  const auto snapshot = store_.snapshot();
  const auto cursor = snapshot->range(due, store::Direction::Forward);
  Result<void> outcome;
  while (cursor->valid() && !pass.stopping()) {
    const auto started = std::chrono::steady_clock::now();
    std::vector<Expiry> expiries;
    for (; cursor->valid() && expiries.size() < kItemsPerTransaction; cursor->next()) {
      TAVOLA_TRY(Expiry expiry, decode_expiry_key(cursor->key()));
      expiries.push_back(std::move(expiry));
    }
    const Result<void> expired = expire_group(pass, *table, expiries);
    if (!expired && expired.error().code() >= ErrorCode::Internal) return expired;  // the machine's failure
    pass.note(outcome, expired);
    // Rests as long as the work took, so that many items that expire at once take half a core at most.
    if (cursor->valid()) pass.rest(std::chrono::steady_clock::now() - started);
  }
  pass.note(outcome, cursor->status());
  return outcome;
}

}  // namespace tavola::engine
