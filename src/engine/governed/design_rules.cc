#include "engine/governed/design_rules.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "database/item_key.h"
#include "design/items/references.h"
#include "design/model/arguments.h"
#include "design/roles/access.h"
#include "design/roles/groups.h"
#include "design/rules/govern.h"
#include "design/rules/govern_writes.h"
#include "engine/checks/messages.h"
#include "engine/governed/pattern_reads.h"
#include "engine/records/job.h"
#include "engine/records/keys.h"
#include "value/optional_item.h"

namespace tavola::engine {
namespace {

std::int64_t milliseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Returns the record of the job that does the remainder. `id` distinguishes it from others with the same key. `since` matters where
// indexes lag.
Result<std::string> encode_remainder(const TableSchema& table,
                                     const design::RuledWrites::Remainder& remainder, const std::string& id,
                                     std::optional<WallTime> since) {
  Item job{{"id", id}, {"source", Value(Map(remainder.source.unpack()))}};
  if (since) job["since"] = Value(milliseconds_of(*since));
  if (remainder.gone != nullptr) {
    job["gone"] = remainder.gone->name;
    job["fields"] = Value(Map(remainder.fields));
    return encode_job(JobKind::Cascade, table.description.table_name, std::move(job));
  }
  List copies;
  for (const PackedItem& key : remainder.copies) copies.emplace_back(Map(key.unpack()));
  job["copies"] = Value(std::move(copies));
  return encode_job(JobKind::Copies, table.description.table_name, std::move(job));
}

std::string key_of_job(const TableSchema& table, const design::RuledWrites::Remainder& remainder,
                       const std::string& id) {
  if (remainder.gone == nullptr) return job_key(table.id, id);
  return cascade_job_key(table.id, item_key(table, remainder.source.view()));
}

bool is_key(const std::vector<KeyAttribute>& attributes, const design::KeyAttribute& of_design) {
  return attributes.size() == 1 && attributes[0].name == of_design.name &&
         attributes[0].type == of_design.type;
}

bool is_index_of(const design::Design& design, const IndexSchema& index) {
  const design::Index* const own = design.find_index(index.name);
  return own != nullptr && is_key(index.key.hash, own->hash) &&
         (own->range ? is_key(index.key.range, *own->range) : index.key.range.empty());
}

// Checking some of the permissions only could refuse what the caller may give.
Error reads_too_much(const design::Pattern& pattern, const std::string& about) {
  return Error::validation(
      "Tavola: the pattern " + pattern.name + " reads more than " + std::to_string(kRuleEntriesMax) +
      " items or 64 MB about " + about +
      ", so their permissions cannot be checked. Delete some of the items, or narrow the key "
      "condition of the pattern.");
}

// A governed table as its design sees it during one decision.
class ReadTable final : public design::StoredItems {
 public:
  ReadTable(const TableSchema& table, const design::Design& design, WallTime now, store::RuleReads& reads)
      : table_(table), design_(design), now_(now), reads_(reads) {}

  const std::optional<Item>* find(const PackedItem& key) const override {
    if (key.empty()) return &nothing_;
    const std::string store_key = item_key(table_, key.view());
    const auto known = seen_.find(store_key);
    if (known != seen_.end()) return &known->second;
    const auto stored = reads_.find(store_key);
    if (!stored) return nullptr;
    return &seen_.emplace(store_key, unpacked(view_of(*stored))).first->second;
  }

  std::optional<std::optional<ItemView>> find_packed(const PackedItem& key) const override {
    const auto stored = reads_.find(item_key(table_, key.view()));
    if (!stored) return std::nullopt;
    return std::make_optional<std::optional<ItemView>>(view_of(*stored));
  }

  Result<std::optional<design::FoundItems>> ask(const design::Pattern& pattern, const Item& fields,
                                                std::size_t limit) const override {
    return find_by_pattern(table_, {design_, pattern, fields, limit, now_}, reads_);
  }

  Room room() const override {
    if (reads_.has_settled_ranges()) return TableLookup::room();
    return {.copies = kCopiesElsewhere, .follows_deletions = false};
  }

 private:
  // DynamoDB writes a hundred items in a transaction, the source and what else changes with it among them.
  static constexpr std::size_t kCopiesElsewhere = 60;

  const TableSchema& table_;
  const design::Design& design_;
  const WallTime now_;
  store::RuleReads& reads_;
  mutable std::map<std::string, std::optional<Item>, std::less<>> seen_;
  const std::optional<Item> nothing_;
};

// Checks what the caller of a request may write, if there is one: no other name where the design wants the caller's, and no
// permission that they do not have (design/roles/groups.h). Also where the design is not enforced: who somebody is and what they may
// do does not depend on that.
class CallerCheck {
 public:
  CallerCheck(const TableSchema& table, const design::Design& design, const design::Ambient& ambient,
              store::RuleReads& reads)
      : table_(table), design_(design), ambient_(ambient), reads_(reads) {
    if (ambient.caller != nullptr)
      giver_.who = {.sub = ambient.caller->sub, .groups = ambient.caller->groups};
  }

  // Returns the error without an item that the caller may not read. A permission that only a group gives does not count here.
  Error as_shown(Error error) const {
    const auto* const referenced = error.detail<design::StillReferenced>();
    if (ambient_.caller == nullptr || referenced == nullptr) return error;
    const design::Decoded decoded = design::decode(design_, referenced->item);
    const bool may_read =
        decoded.entity != nullptr &&
        design::may_use(design_, giver_.who, design::ItemAct::Read, *decoded.entity, decoded.fields);
    if (may_read) return error;
    return {error.code(), referenced->without_item,
            std::make_shared<design::Violation>(referenced->name, referenced->field)};
  }

  // Returns whether a role of the caller has `import`; false while their groups are not read yet.
  Result<bool> may_import() {
    if (ambient_.caller == nullptr || !design::has_importers(design_)) return false;
    if (design::may_import(design_, giver_.who)) return true;
    if (!design_.groups) return false;
    TAVOLA_TRY(const design::Identity known,
               design::with_groups(design_, giver_.who,
                                   [this](const design::Pattern& pattern, const std::string& about) {
                                     return ask(pattern, about);
                                   }));
    return design::may_import(design_, known);
  }

  Result<void> check(const std::optional<ItemView>& before, const std::optional<ItemView>& after) {
    if (ambient_.caller == nullptr || !after) return {};
    const std::optional<Item> old_item = unpacked(before);
    const Item new_item = after->unpack();
    if (!ambient_.may_import) TAVOLA_CHECK(design::check_only(design_, old_item, new_item, ambient_));
    const design::Granted granted = design::granted(design_, old_item, new_item);
    if (granted.empty()) return {};
    return design::may_grant(
        design_, giver_, granted,
        [this](const design::Pattern& pattern, const std::string& about) { return ask(pattern, about); });
  }

 private:
  // Returns the fields of all that a pattern finds about a person or a group; nothing while they are not read yet.
  Result<std::vector<Item>> ask(const design::Pattern& pattern, const std::string& about) {
    const Item asked{{pattern.parameters.front().name, Value(about)}};
    std::vector<Item> found;
    // No key can hold such a name, so the table knows nothing about it.
    if (!design::check_parameters(pattern.parameters, asked, ambient_)) return found;
    TAVOLA_TRY(const std::optional<design::FoundItems> items,
               find_by_pattern(table_, {design_, pattern, asked, kRuleEntriesMax, ambient_.now}, reads_));
    if (!items) return found;
    if (!items->is_all) return fail(reads_too_much(pattern, about));
    for (const Item& item : items->items) {
      design::Decoded decoded = design::decode(design_, item);
      if (decoded.entity != nullptr && decoded.entity->name == pattern.entity.text)
        found.push_back(std::move(decoded.fields));
    }
    return found;
  }

  const TableSchema& table_;
  const design::Design& design_;
  const design::Ambient& ambient_;
  store::RuleReads& reads_;
  design::Giver giver_{};
};

// The update of one write, for the rules of the design.
class UpdateOfWrite final : public design::AskedUpdate {
 public:
  explicit UpdateOfWrite(const ItemWrite& write) : write_(write) {}
  bool assigns(std::string_view attribute) const override { return write_.update->assigns(attribute); }
  bool would_hold(const ItemView& item) const override { return write_.condition.holds(item); }

 private:
  const ItemWrite& write_;
};

// Returns whether a job for the cascade of the item with this key is unfinished.
bool has_cascade(store::RuleReads& reads, const TableSchema& table, const std::string& key) {
  const auto job = reads.find(cascade_job_key(table.id, key));
  return job && job->has_value();
}

// Looking for a job costs nothing in a store of our own, and a condition of the write elsewhere.
bool may_have_cascade(const design::Design& design, const WantedChange& wanted,
                      const store::RuleReads& reads) {
  if (reads.has_settled_ranges() || !wanted.after) return true;
  const design::Decoded decoded = design::decode(design, wanted.after->unpack());
  return decoded.entity != nullptr && !decoded.entity->on_delete.empty();
}

// One decision on the changes that a request wants of a table.
class RuleRun {
 public:
  RuleRun(const DesignRules& rules, const TableRules::Wanted& wanted, const WriteContext& context,
          store::RuleReads& reads)
      : rules_(rules),
        table_(wanted.table),
        wanted_(wanted.changes),
        context_(context),
        ambient_{context.now, context.random, context.caller},
        reads_(reads) {}

  Result<RuledChanges> run() {
    const Governor* const governor = rules_.governor();
    if (ambient_.caller != nullptr) {
      TAVOLA_TRY(ambient_.may_import,
                 CallerCheck(table_, rules_.governor_for_access()->design, ambient_, reads_).may_import());
    }
    const bool is_enforced = governor != nullptr && governor->enforcement != Enforcement::Off;
    if (is_enforced && governor->has_cascades) wait_for_cascades();
    if (is_enforced && !context_.as_is) {
      TAVOLA_CHECK(govern(*governor));
    } else {
      if (is_enforced && governor->enforcement == Enforcement::Strict) refuse_strangers(governor->design);
      take_as_wanted();
    }
    if (const PairedTable* const paired = rules_.paired(); paired != nullptr && !reads_.waits())
      write_counterparts(*paired);
    return std::move(result_);
  }

 private:
  void refuse(std::size_t cause, Error error) { result_.refusals.push_back({cause, std::move(error)}); }

  bool is_refused(std::size_t cause) const {
    return std::ranges::find(result_.refusals, cause, &RuledChanges::Refusal::cause) !=
           result_.refusals.end();
  }

  // Refuses to recreate an item whose cascade is unfinished; the job would delete its new dependents.
  void wait_for_cascades() {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i].before || !may_have_cascade(rules_.governor()->design, wanted_[i], reads_)) continue;
      if (has_cascade(reads_, table_, wanted_[i].write.key)) refuse(i, cascade_goes_on());
    }
  }

  // Refuses items that are written as they are and cannot be of this design. Everything else about them is checked when all are there.
  void refuse_strangers(const design::Design& design) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const std::optional<ItemView>& item = wanted_[i].after;
      if (!item) continue;
      if (Result<void> checked = design::check_imported(design, item->unpack()); !checked)
        refuse(i, checked.error());
    }
  }

  void take_as_wanted() {
    CallerCheck caller(table_, rules_.governor_for_access()->design, ambient_, reads_);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (is_refused(i)) continue;
      const auto& [write, before, after] = wanted_[i];
      if (const Result<void> may = caller.check(before, after); !may) {
        refuse(i, may.error());
        continue;
      }
      std::optional<PackedItem> item;
      if (after) item.emplace(*after);
      add_wanted(i, std::move(item));
    }
  }

  void add_wanted(std::size_t cause, std::optional<PackedItem> after) {
    const ItemWrite& write = wanted_[cause].write;
    result_.changes.push_back({.table = table_,
                               .key = {},
                               .before = wanted_[cause].before,
                               .after = std::move(after),
                               .cause = cause,
                               .is_wanted = true,
                               .expired = write.expires});
  }

  Result<void> govern(const Governor& governor) {
    if (wanted_.size() == 1 && result_.refusals.empty()) {  // by far the most requests
      const auto& [write, before, after] = wanted_[0];
      const UpdateOfWrite update(write);
      const design::WantedWrite only{before, after, write.expires,
                                     write.update == nullptr ? nullptr : &update};
      return govern(governor, std::span(&only, 1), {});
    }
    std::vector<design::WantedWrite> writes;
    std::vector<UpdateOfWrite> updates;  // those that `writes` refer to
    std::vector<std::size_t> causes;     // the positions of `writes` in wanted_; empty: they are the same
    const bool has_refused = !result_.refusals.empty();
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (is_refused(i)) continue;
      const ItemWrite& write = wanted_[i].write;
      if (write.update != nullptr) updates.reserve(wanted_.size());  // once: they do not move
      const design::AskedUpdate* asked = write.update == nullptr ? nullptr : &updates.emplace_back(write);
      writes.push_back({wanted_[i].before, wanted_[i].after, write.expires, asked});
      if (has_refused) causes.push_back(i);
    }
    return govern(governor, writes, causes);
  }

  Result<void> govern(const Governor& governor, std::span<const design::WantedWrite> writes,
                      std::span<const std::size_t> causes) {
    const auto cause_of = [&](std::size_t write) { return causes.empty() ? write : causes[write]; };
    const ReadTable lookup(table_, governor.design, context_.now, reads_);
    TAVOLA_TRY(design::RuledWrites ruled, governor.rules.decide(writes, ambient_, lookup));
    if (ruled.is_waiting) return {};
    for (design::RuledWrites::Violation& one : ruled.violations)
      violate(governor, cause_of(one.write), std::move(one.error));
    std::optional<CallerCheck> caller;
    if (ambient_.caller != nullptr)
      caller.emplace(table_, rules_.governor_for_access()->design, ambient_, reads_);
    for (design::RuledWrites::Change& one : ruled.changes) {
      const std::size_t cause = cause_of(one.cause);
      if (!is_refused(cause)) TAVOLA_CHECK(add_ruled(cause, std::move(one), caller));
    }
    return add_jobs(ruled.remainders);
  }

  void violate(const Governor& governor, std::size_t cause, Error error) {
    if (governor.enforcement == Enforcement::Strict) {
      const CallerCheck caller(table_, rules_.governor_for_access()->design, ambient_, reads_);
      return refuse(cause, caller.as_shown(std::move(error)));
    }
    const WantedChange& change = wanted_[cause];
    const std::optional<ItemView>& image = change.after ? change.after : change.before;
    std::string key;
    if (image) key = to_json(key_of_item(table_.description.key_schema, *image).unpack());
    result_.warnings.push_back({std::move(error), std::move(key)});
  }

  // Without a `caller`, the program itself writes.
  Result<void> add_ruled(std::size_t cause, design::RuledWrites::Change change,
                         std::optional<CallerCheck>& caller) {
    const std::optional<ItemView> after = view_of(change.after);
    std::optional<ItemView> before = wanted_[cause].before;
    std::string key;
    if (!change.write) {
      if (change.key.empty()) return fail(Error::internal("the design makes a key that no item can have"));
      key = item_key(table_, change.key.view());
      before = view_of(reads_.find(key).value_or(std::nullopt));
    } else if (const Result<void> may = caller ? caller->check(before, after) : Result<void>(); !may) {
      // Items that change along are the design's doing; none of them gives permissions (validate_operating.cc).
      refuse(cause, may.error());
      return {};
    }
    const Result<void> checked = !after ? Result<void>()
                                 : change.has_checked_index_keys && rules_.has_only_indexes_of_design()
                                     ? check_stored_size(table_, *after)
                                     : check_made_item(table_, before, *after);
    if (!checked) {
      refuse(cause, checked.error());
    } else if (change.write) {
      add_wanted(cause, std::move(change.after));
    } else {
      result_.changes.push_back({.table = table_,
                                 .key = std::move(key),
                                 .before = before,
                                 .after = std::move(change.after),
                                 .cause = cause});
    }
    return {};
  }

  Result<void> add_jobs(const std::vector<design::RuledWrites::Remainder>& remainders) {
    for (const design::RuledWrites::Remainder& remainder : remainders) {
      if (rules_.paired() != nullptr && remainder.gone == nullptr) {
        // Work that would be finished in the background is refused during a migration, so that it is not lost.
        return fail(
            not_followed(table_, *rules_.paired(),
                         Error::validation("more than " + std::to_string(design::kDependentWritesMax) +
                                           " copies change with one item")));
      }
      const std::string id = make_uuid(*context_.random);
      std::string key = key_of_job(table_, remainder, id);
      const bool may_lag = !reads_.has_settled_ranges();
      TAVOLA_TRY(std::string record, encode_remainder(table_, remainder, id,
                                                      may_lag ? std::optional(context_.now) : std::nullopt));
      result_.jobs.push_back(store::Write::put(std::move(key), std::move(record)));
    }
    return {};
  }

  // The counterparts of all changed items are looked up in the paired table, and changed alike.
  void write_counterparts(const PairedTable& paired) {
    const std::size_t own_changes = result_.changes.size();
    for (std::size_t i = 0; i < own_changes; ++i) {
      const RuledChange& change = result_.changes[i];
      const std::size_t cause = change.cause;
      const std::optional<ItemView> after = view_of(change.after);
      if (is_refused(cause) || change.before == after) continue;
      Result<std::optional<RuledChange>> counterpart = counterpart_of(paired, change, after);
      if (!counterpart) {
        refuse(cause, not_followed(table_, paired, counterpart.error()));
      } else if (std::optional<RuledChange>& other = *counterpart; other) {
        result_.changes.push_back(*std::move(other));
      }
    }
  }

  // Returns nothing when there is no counterpart, or when it was not read yet.
  Result<std::optional<RuledChange>> counterpart_of(const PairedTable& paired, const RuledChange& change,
                                                    const std::optional<ItemView>& after) {
    const std::optional<ItemView>& known = after ? after : change.before;
    if (!known) return std::optional<RuledChange>();
    const Item item = known->unpack();
    Result<std::optional<std::string>> found = counterpart_key(paired, item);
    if (!found && after) return fail(found.error());
    const std::optional<std::string> key = found.value_or(std::nullopt);
    if (!key) return std::nullopt;  // also for what never had one, and is deleted
    if (reads_.is_written(*key)) return fail(Error::validation("the same request writes it there, too"));
    const auto read = reads_.find(*key);
    const bool has_job = after && paired.other->has_cascades && has_cascade(reads_, *paired.table, *key);
    if (!read) return std::nullopt;
    const std::optional<ItemView> before = view_of(*read);
    if (!before && has_job) {
      refuse(change.cause, cascade_goes_on());
      return std::nullopt;
    }
    const design::ItemChange wanted{
        .before = unpacked(change.before), .after = unpacked(after), .counterpart = unpacked(before)};
    // The caller was checked where they wrote: the counterpart follows as it is.
    TAVOLA_TRY(const std::optional<Item> followed,
               paired.conversion.follow(paired.way, wanted, {context_.now, context_.random}));
    std::optional<PackedItem> bytes;
    if (followed) {
      TAVOLA_TRY(bytes, pack(*followed));
      TAVOLA_CHECK(check_made_item(*paired.table, before, bytes->view()));
    }
    return RuledChange{.table = *paired.table,
                       .key = *key,
                       .before = before,
                       .after = std::move(bytes),
                       .cause = change.cause,
                       .expired = wanted_[change.cause].write.expires && !after};
  }

  const DesignRules& rules_;
  const TableSchema& table_;
  const std::span<const WantedChange> wanted_;
  const WriteContext& context_;
  design::Ambient ambient_;
  store::RuleReads& reads_;
  RuledChanges result_;
};

}  // namespace

DesignRules::DesignRules(const TableSchema& table, std::shared_ptr<const Governor> governor,
                         std::shared_ptr<const PairedTable> paired)
    : governor_(std::move(governor)),
      paired_(std::move(paired)),
      has_only_indexes_of_design_(governor_ &&
                                  std::ranges::all_of(table.indexes, [this](const IndexSchema& index) {
                                    return is_index_of(governor_->design, index);
                                  })) {}

void DesignRules::append_first_keys(const ItemWrite& write, const WriteContext& context,
                                    std::vector<std::string>& keys) const {
  if (!is_enforced()) return;
  if (governor_->has_cascades) keys.push_back(cascade_job_key(write.table.id, write.key));
  if (write.item == nullptr || context.as_is) return;  // nothing follows from what is written as it is
  std::vector<PackedItem> likely;
  governor_->rules.append_likely_keys(write.item->view(), likely);
  for (const PackedItem& key : likely) keys.push_back(item_key(write.table, key.view()));
}

Result<RuledChanges> DesignRules::decide(const Wanted& wanted, const WriteContext& context,
                                         store::RuleReads& reads) const {
  return RuleRun(*this, wanted, context, reads).run();
}

void DesignRules::count(const std::vector<RuledChanges::Warning>& warnings) const {
  for (const auto& [error, key] : warnings) governor_->broken->add(error, key);
}

std::optional<std::uint64_t> DesignRules::stuck_at(const ItemView& item) const {
  const std::optional<std::int64_t> due = governor_ ? governor_->rules.stuck_at(item) : std::nullopt;
  return due && *due >= 0 ? std::optional(static_cast<std::uint64_t>(*due)) : std::nullopt;
}

}  // namespace tavola::engine
