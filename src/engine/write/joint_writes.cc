#include "engine/write/joint_writes.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/assert.h"
#include "base/random.h"
#include "design/model/arguments.h"
#include "engine/checks/key_checks.h"
#include "engine/checks/messages.h"
#include "engine/governed/governor.h"
#include "engine/governed/paired_table.h"
#include "engine/records/job.h"
#include "engine/records/keys.h"
#include "engine/write/several_writes.h"

namespace tavola::engine {
namespace {

std::optional<Item> unpacked(const std::optional<ItemView>& item) {
  return item ? std::optional(item->unpack()) : std::nullopt;
}

std::optional<ItemView> view_of(const std::optional<PackedItem>& item) {
  return item ? std::optional(item->view()) : std::nullopt;
}

Result<std::optional<PackedItem>> packed(const std::optional<Item>& item) {
  if (!item) return std::optional<PackedItem>();
  TAVOLA_TRY(PackedItem bytes, pack(*item));
  return std::optional(std::move(bytes));
}

constexpr std::size_t kAll = std::numeric_limits<std::int32_t>::max();

Item key_of(const TableSchema& table, const ItemView& item) {
  Item key;
  for (const auto* parts : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& part : *parts) {
      if (const std::optional<ValueView> value = item.find(part.name)) key[part.name] = value->unpack();
    }
  }
  return key;
}

// What the design made of an item must still be one.
Result<void> check_final(const TableSchema& table, const std::optional<ItemView>& before,
                         const ItemView& item) {
  TAVOLA_CHECK(check_changed_index_keys(table, before, item));
  return check_stored_size(table, item);
}

// Both have the moments at which the item will be stuck.
void append_watch(const auto& change, const std::string& key, std::vector<store::Write>& writes) {
  if (change.stuck_before == change.stuck_after) return;
  if (change.stuck_before && *change.stuck_before >= 0)
    writes.push_back(store::Write::erase(watch_key(static_cast<std::uint64_t>(*change.stuck_before), key)));
  if (change.stuck_after && *change.stuck_after >= 0)
    writes.push_back(store::Write::put(watch_key(static_cast<std::uint64_t>(*change.stuck_after), key), ""));
}

}  // namespace

// A governed table as its design sees it during one decision: the items under keys that were asked for, and its patterns.
class JointWrites::TableView final : public design::Surroundings {
 public:
  TableView(const JointWrites& writes, const TableSchema& table, const store::View& view, std::size_t first)
      : writes_(writes), table_(table), view_(view), first_(first) {}

  const std::optional<Item>* find(const Item& key) const override {
    const Result<PackedItem> bytes = pack(key);
    if (!bytes) return &nothing_;
    const std::string store_key = item_key(table_, bytes->view());
    const auto known = seen_.find(store_key);
    if (known != seen_.end()) return &known->second;
    const auto asked = std::ranges::find(writes_.asked_, store_key);
    if (asked == writes_.asked_.end()) return nullptr;
    const auto at = static_cast<std::size_t>(asked - writes_.asked_.begin());
    const std::optional<std::string_view> stored = view_[first_ + writes_.writes_.size() + at];
    return &seen_.emplace(store_key, stored ? std::optional(ItemView(*stored).unpack()) : std::nullopt)
                .first->second;
  }

  Result<std::vector<Item>> ask(const design::Pattern& pattern, const Item& fields,
                                std::size_t limit) const override {
    return ask_pattern(writes_.store_, table_, {pattern, fields, limit, writes_.context_.moment.now});
  }

 private:
  const JointWrites& writes_;
  const TableSchema& table_;
  const store::View& view_;
  const std::size_t first_;
  mutable std::map<std::string, std::optional<Item>, std::less<>> seen_;
  const std::optional<Item> nothing_;
};

JointWrites::JointWrites(const store::Store& store, std::span<const ItemWrite> writes,
                         const WriteContext& context)
    : store_(store), writes_(writes), context_(context) {}
JointWrites::~JointWrites() = default;

bool JointWrites::is_governed(const ItemWrite& write) const {
  return write.change && write.table.governor && write.table.governor->enforcement != Enforcement::Off;
}

Result<store::Decision> JointWrites::decide(const store::View& view, std::size_t first) {
  store::Decision decision;
  images_.assign(writes_.size(), {});
  outcomes_.clear();
  broken_.clear();
  for_twins_.clear();
  givers_.clear();
  left_work_ = false;
  std::vector<const TableSchema*> governed;
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const ItemWrite& write = writes_[i];
    outcomes_.emplace_back(WrittenItem(write.table));
    Result<WantedImages> images = wanted_images(write, view[first + i]);
    if (!images) {
      outcomes_[i] = fail(images.error());
      continue;
    }
    images_[i] = *std::move(images);
    const std::optional<ItemView>& before = images_[i].before;
    if (write.keep == KeepBefore::Yes && before) outcomes_[i]->before.emplace(*before);
    if (!is_governed(write)) {
      append_as_wanted(i, decision);
    } else if (std::ranges::find(governed, &write.table) == governed.end()) {
      governed.push_back(&write.table);
    }
  }
  if (!first_failure()) return decision;  // the client's own conditions come first
  for (const TableSchema* table : governed) TAVOLA_CHECK(govern(*table, view, first, decision));
  if (decision.further_keys.empty()) TAVOLA_CHECK(write_twins(view, first, decision));
  std::ranges::copy(decision.further_keys, std::back_inserter(asked_));
  return decision;
}

Result<void> JointWrites::check_caller(const TableSchema& table, const std::optional<Item>& before,
                                       const std::optional<Item>& after) {
  const Caller* const caller = context_.moment.caller;
  const std::shared_ptr<const Governor> governor = governing(table);
  if (caller == nullptr || !governor || !after) return {};
  const design::Design& design = governor->design;
  TAVOLA_CHECK(design::check_only(design, before, *after, context_.moment));
  const design::Granted granted = design::granted(design, before, after);
  if (granted.empty()) return {};
  const auto ask = [&](const design::Pattern& pattern, const std::string& about) {
    return ask_about(table, design, {pattern, about});
  };
  const auto giver =
      givers_.try_emplace(&table, design::Giver{{.sub = caller->sub, .groups = caller->groups}}).first;
  return design::may_grant(design, giver->second, granted, ask);
}

Result<std::vector<Item>> JointWrites::ask_about(const TableSchema& table, const design::Design& design,
                                                 const AboutSomebody& question) const {
  const auto& [pattern, about] = question;
  const Item asked{{pattern.parameters.front().name, Value(about)}};
  std::vector<Item> found;
  // A name that no key can hold: the table knows nothing of it.
  if (!design::check_parameters(pattern.parameters, asked, context_.moment)) return found;
  TAVOLA_TRY(const std::vector<Item> items,
             ask_pattern(store_, table, {pattern, asked, kAll, context_.moment.now}));
  for (const Item& item : items) {
    design::Decoded decoded = design::decode(design, item);
    if (decoded.entity != nullptr && decoded.entity->name == pattern.entity.text)
      found.push_back(std::move(decoded.fields));
  }
  return found;
}

void JointWrites::append_as_wanted(std::size_t write, store::Decision& decision) {
  if (context_.moment.caller != nullptr) {
    const Result<void> may = check_caller(writes_[write].table, unpacked(images_[write].before),
                                          unpacked(view_of(images_[write].after)));
    if (!may) return fail_write(write, may.error());
  }
  WrittenItem& written = *outcomes_[write];
  written.after = std::move(images_[write].after);
  const StoredChange change{.table = writes_[write].table,
                            .key = writes_[write].key,
                            .before = images_[write].before,
                            .after = view_of(written.after),
                            .collection_bytes = writes_[write].collection_bytes,
                            .now = context_.moment.now,
                            .expired = writes_[write].expires};
  const Result<void> appended = append_writes(change, written.units, decision.writes);
  if (appended) {
    note_for_twin(write, change.before, change.after);
  } else {
    outcomes_[write] = fail(appended.error());
  }
}

Result<void> JointWrites::govern(const TableSchema& table, const store::View& view, std::size_t first,
                                 store::Decision& decision) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    if (&writes_[i].table != &table || !writes_[i].change || !outcomes_[i]) continue;
    if (!images_[i].before && !images_[i].after) {  // what is not there is deleted: it costs its units
      append_as_wanted(i, decision);
      continue;
    }
    positions.push_back(i);
  }
  if (table.governor->has_cascades) TAVOLA_CHECK(wait_for_cascades(table, positions));
  TAVOLA_TRY(const bool is_decided, decide_by_plan(table, positions, decision));
  if (is_decided) return {};
  std::vector<design::WantedChange> wanted;
  wanted.reserve(positions.size());
  for (const std::size_t i : positions) {
    wanted.push_back({.before = unpacked(images_[i].before),
                      .after = unpacked(view_of(images_[i].after)),
                      .expires = writes_[i].expires});
  }
  const TableView surroundings(*this, table, view, first);
  TAVOLA_TRY(const design::GovernedWrites governed,
             design::govern_writes(table.governor->design, wanted, context_.moment, surroundings));
  if (!governed.unknown.empty()) {
    for (const Item& key : governed.unknown) {
      TAVOLA_TRY(const PackedItem bytes, pack(key));
      decision.further_keys.push_back(item_key(table, bytes.view()));
    }
    return {};
  }
  note_violations(table, governed, positions);
  return append(table, governed, positions, decision);
}

// The job is committed with the deletion, by whom the lock of the item was held that is held now: so nobody need lock the job.
Result<bool> JointWrites::has_cascade(const TableSchema& table, std::string_view item_key) const {
  TAVOLA_TRY(const std::optional<std::string> job, store_.get(cascade_job_key(table.id, item_key)));
  return job.has_value();
}

Result<void> JointWrites::wait_for_cascades(const TableSchema& table, std::vector<std::size_t>& positions) {
  for (const std::size_t i : positions) {
    if (images_[i].before) continue;
    TAVOLA_TRY(const bool has_job, has_cascade(table, writes_[i].key));
    if (has_job) fail_write(i, cascade_goes_on());
  }
  std::erase_if(positions, [this](std::size_t i) { return !outcomes_[i]; });
  return {};
}

Result<bool> JointWrites::decide_by_plan(const TableSchema& table, const std::vector<std::size_t>& positions,
                                         store::Decision& decision) {
  std::vector<design::WritePlan::Decided> decided;
  decided.reserve(positions.size());
  for (const std::size_t i : positions) {
    const WantedImages& images = images_[i];
    if (!images.after) return false;
    auto one = table.governor->plan.decide(images.before, images.after->view(), context_.moment);
    if (!one || !check_final(table, images.before, one->item.view())) return false;
    decided.push_back(*std::move(one));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    images_[positions[i]].after = std::move(decided[i].item);
    append_as_wanted(positions[i], decision);
    if (outcomes_[positions[i]]) append_watch(decided[i], writes_[positions[i]].key, decision.writes);
  }
  return true;
}

void JointWrites::note_violations(const TableSchema& table, const design::GovernedWrites& governed,
                                  const std::vector<std::size_t>& positions) {
  for (const design::GovernedWrites::Violation& violation : governed.violations) {
    const std::size_t write = positions[violation.write];
    if (table.governor->enforcement == Enforcement::Strict) {
      fail_write(write, violation.error);
    } else {
      std::optional<ItemView> image = view_of(images_[write].after);
      if (!image) image = images_[write].before;
      broken_.push_back({&table, violation.error, image ? to_json(key_of(table, *image)) : std::string()});
    }
  }
}

void JointWrites::fail_write(std::size_t write, const Error& error) {
  if (!outcomes_[write]) return;  // the first reason is told
  const bool is_condition = error.code() == ErrorCode::ConditionalCheckFailed;
  outcomes_[write] =
      fail(is_condition ? condition_failure(writes_[write], images_[write].before, error.message()) : error);
}

Result<void> JointWrites::append(const TableSchema& table, const design::GovernedWrites& governed,
                                 const std::vector<std::size_t>& positions, store::Decision& decision) {
  for (const design::GovernedWrites::Change& one : governed.changes) {
    const std::size_t write = positions[one.cause];
    if (!outcomes_[write]) continue;
    // What changes along is the design's doing; of it, nothing gives permissions (validate_operating.cc).
    const Result<void> may = one.write ? check_caller(table, one.before, one.after) : Result<void>();
    if (!may) {
      fail_write(write, may.error());
      continue;
    }
    TAVOLA_TRY(const std::optional<PackedItem> before, packed(one.before));
    Result<std::optional<PackedItem>> after = packed(one.after);
    if (const std::optional<ItemView> image = after ? view_of(*after) : std::nullopt) {
      if (const Result<void> checked = check_final(table, view_of(before), *image); !checked)
        after = fail(checked.error());
    }
    if (!after) {
      fail_write(write, after.error());
      continue;
    }
    TAVOLA_TRY(const PackedItem key_item, pack(one.key));
    const std::string key = item_key(table, key_item.view());
    const std::int64_t bytes = one.write ? writes_[write].collection_bytes : 0;
    const StoredChange change{.table = table,
                              .key = key,
                              .before = view_of(before),
                              .after = view_of(*after),
                              .collection_bytes = bytes,
                              .now = context_.moment.now,
                              .expired = one.write && writes_[write].expires};
    const Result<void> appended = append_writes(change, outcomes_[write]->units, decision.writes);
    if (!appended) {
      fail_write(write, appended.error());
      continue;
    }
    append_watch(one, key, decision.writes);
    note_for_twin(write, change.before, change.after);
    if (one.write) outcomes_[write]->after = *std::move(after);
  }
  return append_rests(table, governed, decision);
}

void JointWrites::note_for_twin(std::size_t write, const std::optional<ItemView>& before,
                                const std::optional<ItemView>& after) {
  if (!writes_[write].table.twin || before == after) return;
  for_twins_.push_back({write, unpacked(before), unpacked(after)});
}

// When the changes are settled: the counterparts are looked up, and changed alike.
Result<void> JointWrites::write_twins(const store::View& view, std::size_t first, store::Decision& decision) {
  for (const ForTwin& one : for_twins_) {
    if (!outcomes_[one.write]) continue;
    const TableSchema& table = writes_[one.write].table;
    const Twin& twin = *table.twin;
    const std::optional<Item>& item = one.after ? one.after : one.before;
    if (!item) continue;
    const Result<std::optional<std::string>> found = counterpart_key(twin, *item);
    if (!found && one.after) fail_write(one.write, not_followed(table, found.error()));
    const std::optional<std::string> key = found.value_or(std::nullopt);
    if (!key) continue;  // without a counterpart; also of what never had one, and goes
    if (std::ranges::find(writes_, *key, &ItemWrite::key) != writes_.end()) {
      fail_write(one.write, not_followed(table, Error::validation("the same request writes it there, too")));
      continue;
    }
    const auto asked = std::ranges::find(asked_, *key);
    if (asked == asked_.end()) {
      decision.further_keys.push_back(*key);
      continue;
    }
    const std::optional<std::string_view> stored =
        view[first + writes_.size() + static_cast<std::size_t>(asked - asked_.begin())];
    if (!stored && one.after) {
      TAVOLA_TRY(const bool has_job, has_cascade(*twin.table, *key));
      if (has_job) {
        fail_write(one.write, cascade_goes_on());
        continue;
      }
    }
    const design::ItemChange change{
        .before = one.before,
        .after = one.after,
        .counterpart = stored ? std::optional(ItemView(*stored).unpack()) : std::nullopt};
    // Who writes was looked at where they wrote: the counterpart follows as it is.
    const design::Moment moment{context_.moment.now, context_.moment.random};
    const Result<std::optional<Item>> after = twin.conversion.follow(twin.way, change, moment);
    const Result<void> appended =
        after ? append_counterpart(twin, *key,
                                   {.before = change.counterpart,
                                    .after = *after,
                                    .now = context_.moment.now,
                                    .expired = writes_[one.write].expires && !one.after},
                                   decision.writes)
              : Result<void>(fail(after.error()));
    if (!appended) fail_write(one.write, not_followed(table, appended.error()));
  }
  return {};
}

namespace {

// Returns the record of the job that does the rest. `id` tells it from others with the same key.
Result<std::string> encode_rest(const TableSchema& table, const design::GovernedWrites::Rest& rest,
                                const std::string& id) {
  Item job{{"id", id}, {"source", Value(Map(rest.source))}};
  if (rest.gone != nullptr) {
    job["gone"] = rest.gone->name;
    job["fields"] = Value(Map(rest.fields));
    return encode_job(JobKind::Cascade, table.description.table_name, std::move(job));
  }
  List copies;
  for (const Item& key : rest.copies) copies.emplace_back(Map(key));
  job["copies"] = Value(std::move(copies));
  return encode_job(JobKind::Copies, table.description.table_name, std::move(job));
}

}  // namespace

Result<std::string> JointWrites::key_of_job(const TableSchema& table,
                                            const design::GovernedWrites::Rest& rest, const std::string& id) {
  if (rest.gone == nullptr) return job_key(table.id, id);
  TAVOLA_TRY(const PackedItem source, pack(rest.source));
  return cascade_job_key(table.id, item_key(table, source.view()));
}

Result<void> JointWrites::append_rests(const TableSchema& table, const design::GovernedWrites& governed,
                                       store::Decision& decision) {
  for (const design::GovernedWrites::Rest& rest : governed.rests) {
    if (table.twin && rest.gone == nullptr) {
      // What is finished in the background is not followed: during a migration it is refused, not lost.
      return fail(
          not_followed(table, Error::validation("more than " + std::to_string(design::kCompanionsMax) +
                                                " copies change with one item")));
    }
    Random* const given = context_.moment.random;
    const std::string id = make_uuid(given == nullptr ? Random::system() : *given);
    TAVOLA_TRY(std::string key, key_of_job(table, rest, id));
    TAVOLA_TRY(std::string record, encode_rest(table, rest, id));
    decision.writes.push_back(store::Write::put(std::move(key), std::move(record)));
    left_work_ = true;
  }
  return {};
}

Result<void> JointWrites::first_failure() const {
  for (const Result<WrittenItem>& outcome : outcomes_) {
    if (!outcome) return fail(outcome.error());
  }
  return {};
}

void JointWrites::committed() const {
  for (const Broken& one : broken_) one.table->governor->broken->add(one.error, one.key);
  if (left_work_ && context_.on_unfinished) context_.on_unfinished();
}

Result<WrittenItem> write_item(store::Store& store, ItemWrite write, const WriteContext& context) {
  TAVOLA_CHECK(look_up_collection(store, write));
  JointWrites writes(store, std::span(&write, 1), context);
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    TAVOLA_TRY(store::Decision decision, writes.decide(view, 0));
    if (decision.further_keys.empty()) TAVOLA_CHECK(writes.first_failure());
    join_additions(decision.writes);
    return decision;
  };
  const std::array guards{table_guard(write.table)};
  TAVOLA_CHECK(store.transact(std::span(&write.key, 1), guards, rule));
  writes.committed();
  return *std::move(writes.outcomes()[0]);
}

}  // namespace tavola::engine
