#include "engine/background/jobs.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "design/rules/cascade.h"
#include "design/rules/govern_writes.h"
#include "engine/backups/restore_job.h"
#include "engine/governed/design_rules.h"
#include "engine/governed/migration.h"
#include "engine/governed/migration_job.h"
#include "engine/governed/pattern_reads.h"
#include "engine/indexes/index_build.h"
#include "engine/records/job.h"
#include "engine/records/keys.h"
#include "engine/write/request_writes.h"
#include "engine/write/stored_change.h"
#include "engine/write/watch_entries.h"

namespace tavola::engine {
namespace {

constexpr std::size_t kItemsAtOnce = 100;
// Their locks are held together, and other items change with each.
constexpr std::size_t kFollowersPerTransaction = 25;

Error damaged_job(const TableSchema& table) {
  return Error::corrupt("The record of unfinished work of the table " + table.description.table_name +
                        " is damaged. Restore the data directory from a backup.");
}

Result<std::string> key_in_store(const TableSchema& table, const Item& key) {
  TAVOLA_TRY(const PackedItem packed, pack(key));
  TAVOLA_CHECK(table.key.check_each([&](const KeyAttribute& attribute, KeyType) -> Result<void> {
    const auto value = packed.view().find(attribute.name);
    return value && value->type() == attribute.type ? Result<void>() : fail(damaged_job(table));
  }));
  return item_key(table, packed.view());
}

// The next copies of a job. `rest` is the job without them; nullopt if they are the last.
struct Portion {
  Item source;
  std::vector<Item> copies;
  std::optional<Item> rest;
};

Portion first_of(Item job, std::size_t count_max) {
  Portion portion{.source = job.at("source").map(), .copies = {}, .rest = {}};
  List& copies = job.at("copies").list();
  const std::size_t count = std::min(copies.size(), count_max);
  for (const Value& key : std::span(copies).first(count)) portion.copies.push_back(key.map());
  copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(count));
  if (!copies.empty()) portion.rest = std::move(job);
  return portion;
}

// Appends the writes that bring a copy up to date.
Result<void> put_right(StoredChange change, const Item* wanted, std::vector<store::Write>& writes) {
  std::optional<PackedItem> after;
  if (wanted != nullptr) {
    TAVOLA_TRY(after, pack(*wanted));
    change.after = after->view();
  }
  UsedUnits units(change.table);
  return append_writes(change, units, writes);
}

Error cannot_go_along(const std::string& gone, const std::string& key, const Error& why) {
  return {why.code(),
          "An item that names a deleted " + gone + " cannot follow it: " + key + ": " + why.message()};
}

// Returns whether an error concerns more than the items written.
bool is_fatal(const Error& error) {
  return error.code() == ErrorCode::Stale || error.code() >= ErrorCode::Internal;
}

// Erases the job's record if it is still `record`.
Result<void> end_job(store::Store& store, const std::string& key, std::string_view record) {
  const std::array keys{key};
  return store.transact(keys, {}, [&](const store::View& view) -> Result<store::Decision> {
    if (view[0] != std::optional(record)) return store::Decision{};
    return store::Decision{{store::Write::erase(key)}, {}};
  });
}

}  // namespace

Result<void> Jobs::run(const BackgroundPass& pass) {
  Result<void> outcome;
  goes_on_ = false;
  const auto snapshot = store_.snapshot();
  const auto cursor = snapshot->range(every_job(), store::Direction::Forward);
  for (; cursor->valid() && !pass.stopping(); cursor->next()) {
    const Result<void> done = run_one(std::string(cursor->key()), cursor->value(), pass);
    if (done || done.error().code() == ErrorCode::Stale) continue;
    pass.report(done.error());
    if (outcome) outcome = done;
  }
  TAVOLA_CHECK(cursor->status());
  return outcome;
}

Result<void> Jobs::run_one(const std::string& key, std::string_view record, const BackgroundPass& pass) {
  const std::function<bool()>& stopping = pass.stopping;
  TAVOLA_TRY(const Job job, decode_job(record));
  TAVOLA_TRY(const TableId id, table_of_job_key(key));
  const std::string& name = job.table_name;
  if (job.kind == JobKind::Migration) return copy_for_a_while(name, key, stopping);
  if (job.kind == JobKind::IndexBuild) return build_for_a_while(name, id, pass);
  if (job.kind == JobKind::Restore) {
    TAVOLA_TRY(const bool done, restore_for_a_while({store_, catalog_, shelf_}, key, stopping));
    goes_on_ = goes_on_ || !done;
    return {};
  }
  while (!stopping()) {
    TAVOLA_TRY(const SchemaPtr table, catalog_.find(name));
    if (!table || table->id != id || governor_of(*table) == nullptr)
      return {};  // it is gone, and its jobs with it
    const Result<bool> done = job.kind == JobKind::Adoption  ? adopt_items(*table, key, record, stopping)
                              : job.kind == JobKind::Cascade ? follow_deletion(*table, key, record, stopping)
                                                             : make_some_copies(*table, key);
    if (!done && done.error().code() == ErrorCode::Stale) catalog_.forget(name);
    if (!done && done.error().code() != ErrorCode::Stale) return fail(done.error());
    if (done && *done) return {};
  }
  return {};
}

Result<void> Jobs::copy_for_a_while(const std::string& name, const std::string& key,
                                    const std::function<bool()>& stopping) {
  constexpr int kPortionsAtOnce = 40;
  for (int i = 0; i < kPortionsAtOnce && !stopping(); ++i) {
    TAVOLA_TRY(const SchemaPtr table, catalog_.find(name));
    if (!table) return {};
    const Result<bool> done = copy_some({store_, catalog_, *table, key}, {clock_.now(), &random_});
    if (!done && done.error().code() == ErrorCode::Stale) catalog_.forget(name);
    if (!done && done.error().code() != ErrorCode::Stale) return fail(done.error());
    if (done && *done) return {};
  }
  goes_on_ = true;
  return {};
}

// Writers of the table wait during a step, so the job pauses as long after each step.
Result<void> Jobs::build_for_a_while(const std::string& name, TableId id, const BackgroundPass& pass) {
  constexpr int kStepsAtOnce = 100;
  for (int i = 0; i < kStepsAtOnce && !pass.stopping(); ++i) {
    const auto started = std::chrono::steady_clock::now();
    TAVOLA_TRY(const SchemaPtr table, catalog_.find(name));
    if (!table || table->id != id) return {};
    TAVOLA_TRY(const bool done, build_some(catalog_, name));
    if (done) return {};
    pass.rest(std::chrono::steady_clock::now() - started);
  }
  goes_on_ = true;
  return {};
}

// The source may have changed since: its copies are made as they should be now.
Result<bool> Jobs::make_some_copies(const TableSchema& table, const std::string& key) {
  TAVOLA_TRY(const std::optional<std::string> stored, store_.get(key));
  if (!stored) return true;
  TAVOLA_TRY(Job job, decode_job(*stored));
  // The transaction is about the job and its source, too.
  const Portion portion =
      first_of(std::move(job.attributes), std::min(kItemsAtOnce, store_.reach().keys_max - 2));
  std::vector<std::string> keys{key};
  TAVOLA_TRY(keys.emplace_back(), key_in_store(table, portion.source));
  for (const Item& copy : portion.copies) {
    TAVOLA_TRY(keys.emplace_back(), key_in_store(table, copy));
  }
  RecordedRandom random(random_);
  const design::Ambient ambient{clock_.now(), &random};
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    random.rewind();
    if (view[0] != std::optional<std::string_view>(*stored)) return decision;  // somebody else did it
    std::map<std::string, Item, std::less<>> wanted;                           // by the key in the store
    if (view[1]) {
      TAVOLA_TRY(std::vector<design::DependentWrite> copies,
                 design::copies_of(governor_of(table)->design, ItemView(*view[1]).unpack(), ambient));
      for (design::DependentWrite& copy : copies) {
        TAVOLA_TRY(std::string copy_key, key_in_store(table, copy.key));
        wanted.emplace(std::move(copy_key), std::move(copy.item));
      }
    }
    for (std::size_t i = 0; i < portion.copies.size(); ++i) {
      const auto found = wanted.find(keys[i + 2]);
      const Item* const item = found == wanted.end() ? nullptr : &found->second;
      const std::optional<std::string_view> stored_copy = view[i + 2];
      const StoredChange change{.table = table,
                                .key = keys[i + 2],
                                .before = stored_copy ? std::optional(ItemView(*stored_copy)) : std::nullopt,
                                .after = std::nullopt,
                                .now = ambient.now};
      TAVOLA_CHECK(put_right(change, item, decision.writes));
    }
    join_additions(decision.writes);
    if (portion.rest) {
      TAVOLA_TRY(const PackedItem rest, pack(*portion.rest));
      decision.writes.push_back(store::Write::put(key, rest.bytes()));
    } else {
      decision.writes.push_back(store::Write::erase(key));
    }
    return decision;
  };
  const std::array guards{table_guard(table)};
  TAVOLA_CHECK(store_.transact(keys, guards, rule));
  return !portion.rest;
}

// Deletes or changes the items that name a deleted item. They are walked through once: an item that was found may remain (a copy
// without a source) and must not be found for ever. An item that cannot be changed does not keep the others; the job is tried again
// in the next pass.
Result<bool> Jobs::follow_deletion(const TableSchema& table, const std::string& key, std::string_view record,
                                   const std::function<bool()>& stopping) {
  TAVOLA_TRY(const Job decoded, decode_job(record));
  const Item& job = decoded.attributes;
  const design::Design& design = governor_of(table)->design;
  const design::Entity* const entity = design.find_entity(job.at("gone").string());
  const auto cascades = entity == nullptr ? std::span<const design::Cascade>() : std::span(entity->on_delete);
  Result<void> outcome;
  for (const design::Cascade& cascade : cascades) {
    if (cascade.action == design::Cascade::Action::Restrict) continue;
    const design::Gone gone{*entity, job.at("fields").map()};
    const Item parameters = design::cascade_parameters(design, cascade, gone);
    const PatternQuestion question{design, *design.find_pattern(cascade.pattern.text), parameters,
                                   kItemsAtOnce, clock_.now()};
    std::optional<PackedItem> after;
    do {
      if (stopping()) return true;  // it begins anew after the restart
      TAVOLA_TRY(const bool is_back, has_come_back(table, job));
      if (is_back) {
        TAVOLA_CHECK(end_job(store_, key, record));
        return true;
      }
      TAVOLA_TRY(Page page, pattern_page(store_, table, question, std::move(after)));
      const Result<void> changed = change_along(table, {cascade, gone}, page.items);
      if (!changed && is_fatal(changed.error())) return fail(changed.error());
      if (outcome) outcome = changed;
      after = std::move(page.last_evaluated_key);
    } while (after);
  }
  if (!outcome) return fail(outcome.error());
  if (may_appear_later(design, cascades, job)) return true;  // the next pass looks again
  TAVOLA_CHECK(end_job(store_, key, record));
  return true;
}

// Returns whether an index may lack an item that names the deleted one and was written before the deletion.
bool Jobs::may_appear_later(const design::Design& design, std::span<const design::Cascade> cascades,
                            const Item& job) const {
  const auto since = job.find("since");
  const std::chrono::milliseconds lag = store_.reach().index_lag;
  if (lag.count() == 0 || since == job.end() || !since->second.is_number()) return false;
  const bool any_index = std::ranges::any_of(cascades, [&](const design::Cascade& cascade) {
    const design::Index* const index = design.find_index(design.find_pattern(cascade.pattern.text)->via.text);
    return index != nullptr && !index->local;
  });
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now().time_since_epoch());
  return any_index && now.count() - since->second.number().to_int64().value_or(0) < lag.count();
}

// Returns whether the deleted item exists again. That happens only while enforcement is off (RuleRun::wait_for_cascades); the
// remaining dependents then stay.
Result<bool> Jobs::has_come_back(const TableSchema& table, const Item& job) const {
  const auto source = job.find("source");
  if (source == job.end()) return false;  // a job of an older version
  TAVOLA_TRY(const std::string key, key_in_store(table, source->second.map()));
  TAVOLA_TRY(const std::optional<std::string> stored, store_.get(key));
  return stored.has_value();
}

// The items are written in small transactions. If one is refused, its items are written one by one.
Result<void> Jobs::change_along(const TableSchema& table, const Following& following,
                                std::span<const PackedItem> found) {
  const design::Design& design = governor_of(table)->design;
  std::vector<std::string> keys;
  std::vector<std::string> shown;  // the keys for people
  for (const PackedItem& one : found) {
    const std::optional<Item> target = design::gone_along(design, following.cascade, one.unpack());
    if (!target) continue;
    TAVOLA_TRY(std::string key, key_in_store(table, *target));
    if (std::ranges::find(keys, key) != keys.end()) continue;
    keys.push_back(std::move(key));
    shown.push_back(to_json(*target));
  }
  Result<void> outcome;
  for (std::size_t at = 0; at < keys.size(); at += kFollowersPerTransaction) {
    const auto some = std::span(keys).subspan(at, std::min(kFollowersPerTransaction, keys.size() - at));
    const Result<void> together = write_along(table, following, some);
    if (together) continue;
    if (is_fatal(together.error())) return together;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Result<void> alone = write_along(table, following, some.subspan(i, 1));
      if (!alone && is_fatal(alone.error())) return alone;
      if (!alone && outcome)
        outcome = fail(cannot_go_along(following.gone.entity.name, shown[at + i], alone.error()));
    }
  }
  return outcome;
}

Result<void> Jobs::write_along(const TableSchema& table, const Following& following,
                               std::span<const std::string> keys) {
  const design::Design& design = governor_of(table)->design;
  const auto change = [&](const std::optional<ItemView>& before) -> Result<std::optional<PackedItem>> {
    if (!before) return std::nullopt;
    Item item = before->unpack();
    if (!design::names_gone(design, following.cascade, following.gone, item)) return PackedItem(*before);
    const std::optional<Item> after = design::after_deletion(following.cascade, std::move(item));
    if (!after) return std::nullopt;
    TAVOLA_TRY(PackedItem packed, pack(*after));
    return packed;
  };
  const expr::Condition no_condition;
  std::vector<ItemWrite> writes;
  for (const std::string& key : keys) {
    writes.push_back(
        {table, key, no_condition, ReturnValuesOnConditionCheckFailure::None, KeepBefore::No, change});
  }
  RequestWrites together(
      writes, {.now = clock_.now(), .random = &random_, .on_unfinished = [this] { goes_on_ = true; }});
  return together.run(store_);
}

Result<bool> Jobs::adopt_items(const TableSchema& table, const std::string& key, std::string_view record,
                               const std::function<bool()>& stopping) {
  const auto snapshot = store_.snapshot();
  const auto cursor =
      snapshot->range(entry_range(table.id, kTableItself, 0, 0x10000), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    if (stopping()) return true;  // it begins anew after the restart
    const std::string right_key = item_key(table, ItemView(cursor->value()));
    const bool is_record = is_record_key(right_key);
    const bool is_watched = !is_record && table.rules->stuck_at(ItemView(cursor->value()));
    if (is_record || is_watched) TAVOLA_CHECK(adopt(table, std::string(cursor->key()), right_key));
  }
  TAVOLA_CHECK(cursor->status());
  TAVOLA_CHECK(end_job(store_, key, record));
  return true;
}

Result<void> Jobs::adopt(const TableSchema& table, const std::string& stored_key,
                         const std::string& right_key) {
  std::vector<std::string> keys{stored_key};
  if (is_record_key(right_key)) keys.push_back(right_key);
  const WallTime now = clock_.now();
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    if (!view[0]) return decision;
    const ItemView item(*view[0]);
    UsedUnits units(table);
    if (is_record_key(right_key)) {
      const StoredChange gone{.table = table,
                              .key = stored_key,
                              .before = item,
                              .after = std::nullopt,
                              .now = now,
                              .is_ours = true};
      TAVOLA_CHECK(append_writes(gone, units, decision.writes));
      StoredChange there{
          .table = table, .key = right_key, .before = {}, .after = item, .now = now, .is_ours = true};
      if (view[1]) there.before.emplace(*view[1]);
      TAVOLA_CHECK(append_writes(there, units, decision.writes));
      return decision;
    }
    change_watch(table, stored_key, std::nullopt, item, decision.writes);
    return decision;
  };
  const std::array guards{table_guard(table)};
  return store_.transact(keys, guards, rule);
}

}  // namespace tavola::engine
