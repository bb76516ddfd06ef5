#include "engine/write/request_writes.h"

#include <algorithm>

#include "engine/records/keys.h"
#include "engine/write/stored_change.h"
#include "value/optional_item.h"

namespace tavola::engine {
namespace {

const RequestSteps kNoSteps;

WriteContext with_random(WriteContext context, Random& random) {
  context.random = &random;
  return context;
}

// Returns whether the rules of its table decide what becomes of the write. A condition check and the deletion of an item that does not exist
// change nothing; they cost their units.
bool has_rules(const ItemWrite& write, const WantedImages& images) {
  return write.table.rules && write.change && (images.before || images.after);
}

}  // namespace

RequestWrites::RequestWrites(std::span<const ItemWrite> writes, const WriteContext& context)
    : RequestWrites(writes, context, kNoSteps) {}

RequestWrites::RequestWrites(std::span<const ItemWrite> writes, const WriteContext& context,
                             const RequestSteps& steps)
    : writes_(writes),
      random_(context.random == nullptr ? Random::system() : *context.random),
      context_(with_random(context, random_)),
      steps_(steps) {
  std::vector<std::string> of_rules;
  for (const ItemWrite& write : writes) {
    if (write.table.rules && write.change) write.table.rules->append_first_keys(write, context, of_rules);
  }
  if (writes.size() > 1 || !of_rules.empty()) {
    keys_.reserve(writes.size() + of_rules.size());
    for (const ItemWrite& write : writes) keys_.push_back(write.key);
    std::ranges::move(of_rules, std::back_inserter(keys_));
  }
  reads_.set_first(item_keys(), writes.size());
}

std::span<const std::string> RequestWrites::item_keys() const {
  return keys_.empty() ? std::span(&writes_[0].key, 1) : std::span(keys_);
}

Result<void> RequestWrites::run(store::Store& store) {
  const std::span<const std::string> first_key(&steps_.first_key, 1);
  const auto rule = [this](const store::View& view) { return decide(view); };
  const std::span<const std::string> keys = steps_.first_key.empty() ? item_keys() : first_key;
  if (writes_.size() == 1) {  // by far the most requests
    const store::Guard guard = table_guard(writes_[0].table);
    TAVOLA_CHECK(store.transact(keys, std::span(&guard, 1), rule, steps_.contention));
  } else {
    TAVOLA_CHECK(store.transact(keys, guards(), rule, steps_.contention));
  }
  count_and_report();
  return {};
}

std::vector<store::Guard> RequestWrites::guards() const {
  std::vector<store::Guard> guards;
  for (const ItemWrite& write : writes_) {
    const store::Guard guard = table_guard(write.table);
    if (std::ranges::find(guards, guard.key, &store::Guard::key) == guards.end()) guards.push_back(guard);
  }
  return guards;
}

Result<store::Decision> RequestWrites::decide(const store::View& view) {
  images_.assign(writes_.size(), {});
  outcomes_.clear();
  warnings_.clear();
  left_job_ = false;
  random_.rewind();
  if (steps_.first_key.empty()) return decide_changes(view);
  TAVOLA_TRY(const bool is_done, steps_.is_done(view[0]));
  if (is_done) return store::Decision{};
  if (view.size() == 1) return store::Decision{{}, {item_keys().begin(), item_keys().end()}};
  return decide_changes(view);
}

Result<store::Decision> RequestWrites::decide_changes(const store::View& view) {
  TAVOLA_TRY(store::Decision decision, decide_writes(view, steps_.first_key.empty() ? 0 : 1));
  if (decision.is_incomplete()) return decision;
  TAVOLA_CHECK(check_outcomes());
  if (steps_.also) steps_.also(images_, decision.writes);
  join_additions(decision.writes);
  return decision;
}

Result<store::Decision> RequestWrites::decide_writes(const store::View& view, std::size_t first) {
  store::Decision decision;
  bool has_ruled = false;
  bool has_failed = false;
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const ItemWrite& write = writes_[i];
    outcomes_.emplace_back(WrittenItem(write.table));
    Result<WantedImages> images = wanted_images(write, view[first + i]);
    if (!images) {
      outcomes_[i] = fail(images.error());
      has_failed = true;
      continue;
    }
    images_[i] = *std::move(images);
    const std::optional<ItemView>& before = images_[i].before;
    if (write.keep == KeepBefore::Yes && before) outcomes_[i]->before.emplace(*before);
    if (!has_rules(write, images_[i])) {
      append_as_wanted(i, decision);
      has_failed = has_failed || !outcomes_[i];
    } else {
      has_ruled = true;
    }
  }
  if (has_failed || !has_ruled) return decision;  // the client's own conditions come first
  reads_.begin(view, first);
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    if (is_first_ruled(i)) TAVOLA_CHECK(decide_by_rules(writes_[i].table, decision));
  }
  if (reads_.waits()) return reads_.ask();
  return decision;
}

// Returns whether the write is the first of those that the rules of its table decide.
bool RequestWrites::is_first_ruled(std::size_t write) const {
  for (std::size_t i = 0; i < write; ++i) {
    if (&writes_[i].table == &writes_[write].table && has_rules(writes_[i], images_[i])) return false;
  }
  return has_rules(writes_[write], images_[write]);
}

Result<void> RequestWrites::check_outcomes() const {
  const auto failed = std::ranges::find_if(outcomes_, [](const auto& outcome) { return !outcome; });
  if (failed == outcomes_.end()) return {};
  return fail(steps_.failure ? steps_.failure(outcomes_) : failed->error());
}

Result<void> RequestWrites::decide_by_rules(const TableSchema& table, store::Decision& decision) {
  const auto change = [this](std::size_t i) {
    return WantedChange{writes_[i], images_[i].before, view_of(images_[i].after)};
  };
  if (writes_.size() == 1) {  // by far the most requests
    const WantedChange only = change(0);
    return decide_by_rules(table, std::span(&only, 1), decision);
  }
  std::vector<WantedChange> wanted;
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    if (&writes_[i].table == &table && has_rules(writes_[i], images_[i])) wanted.push_back(change(i));
  }
  return decide_by_rules(table, wanted, decision);
}

Result<void> RequestWrites::decide_by_rules(const TableSchema& table, std::span<const WantedChange> wanted,
                                            store::Decision& decision) {
  TAVOLA_TRY(RuledChanges ruled, table.rules->decide({table, wanted}, context_, reads_));
  if (reads_.waits()) return {};
  if (!ruled.warnings.empty()) warnings_.push_back({&table, std::move(ruled.warnings)});
  append_ruled(wanted, std::move(ruled), decision);
  return {};
}

void RequestWrites::append_ruled(std::span<const WantedChange> wanted, RuledChanges ruled,
                                 store::Decision& decision) {
  const auto position_of = [&](std::size_t cause) {
    return static_cast<std::size_t>(&wanted[cause].write - writes_.data());
  };
  for (const RuledChanges::Refusal& refusal : ruled.refusals)
    fail_write(position_of(refusal.cause), refusal.error);
  for (RuledChange& one : ruled.changes) {
    const std::size_t i = position_of(one.cause);
    if (!outcomes_[i]) continue;
    const ItemWrite& write = writes_[i];
    const StoredChange change{.table = one.table,
                              .key = one.is_wanted ? write.key : one.key,
                              .before = one.before,
                              .after = view_of(one.after),
                              .collection_bytes = one.is_wanted ? write.collection_bytes : 0,
                              .now = context_.now,
                              .expired = one.expired};
    std::optional<UsedUnits> units_of_other;  // units of the paired table are not charged to the client
    const bool is_own = &one.table == &write.table;
    const Result<void> appended = append_writes(
        change, is_own ? outcomes_[i]->units : units_of_other.emplace(one.table), decision.writes);
    if (!appended) {
      fail_write(i, appended.error());
    } else if (one.is_wanted) {
      outcomes_[i]->after = std::move(one.after);
    }
  }
  left_job_ = left_job_ || !ruled.jobs.empty();
  std::ranges::move(ruled.jobs, std::back_inserter(decision.writes));
}

void RequestWrites::append_as_wanted(std::size_t write, store::Decision& decision) {
  WrittenItem& written = *outcomes_[write];
  written.after = std::move(images_[write].after);
  const StoredChange change{.table = writes_[write].table,
                            .key = writes_[write].key,
                            .before = images_[write].before,
                            .after = view_of(written.after),
                            .collection_bytes = writes_[write].collection_bytes,
                            .now = context_.now,
                            .expired = writes_[write].expires};
  const Result<void> appended = append_writes(change, written.units, decision.writes);
  if (!appended) outcomes_[write] = fail(appended.error());
}

void RequestWrites::fail_write(std::size_t write, const Error& error) {
  if (!outcomes_[write]) return;  // the first reason is reported
  const bool is_condition = error.code() == ErrorCode::ConditionalCheckFailed;
  outcomes_[write] = fail(is_condition ? with_item(writes_[write], images_[write].before, error) : error);
}

void RequestWrites::count_and_report() const {
  for (const auto& [table, warnings] : warnings_) table->rules->count(warnings);
  if (left_job_ && context_.on_unfinished) context_.on_unfinished();
}

Result<WrittenItem> write_item(store::Store& store, ItemWrite write, const WriteContext& context) {
  TAVOLA_CHECK(look_up_collection(store, write));
  RequestWrites together(std::span(&write, 1), context);
  TAVOLA_CHECK(together.run(store));
  return std::move(together.written(0));
}

}  // namespace tavola::engine
