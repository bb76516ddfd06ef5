#include "design/rules/govern.h"

#include <algorithm>

#include "base/assert.h"
#include "base/joined.h"
#include "design/model/arguments.h"
#include "design/model/dependencies.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

const Value* find(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

const Value* find(const std::optional<Item>& item, std::string_view name) {
  return item ? find(*item, name) : nullptr;
}

bool same(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

// Returns since when an entity is in a state: the time in the state's key, or that of the latest transition or change.
std::optional<std::int64_t> since_when(const Entity& entity, const State& state, const Item& fields) {
  const auto moment_in = [&](const Attribute& field) -> std::optional<std::int64_t> {
    const Value* const value = find(fields, field.name);
    const std::optional<WallTime> ambient = value == nullptr ? std::nullopt : read_moment(field.type, *value);
    if (!ambient) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(ambient->time_since_epoch()).count();
  };
  if (state.key) {
    for (const std::string& name : state.key->fields()) {
      const Attribute* const field = entity.find_field(name);
      if (field != nullptr && field->type.is_timestamp()) return moment_in(*field);
    }
  }
  for (const Attribute::Auto automatic : {Attribute::Auto::Transition, Attribute::Auto::Update}) {
    const auto field = std::ranges::find(entity.fields, automatic, &Attribute::automatic);
    if (field != entity.fields.end()) return moment_in(*field);
  }
  return std::nullopt;
}

// The rule of one change of one item. A run() needs an object of its own.
class ItemRule {
 public:
  ItemRule(const Design& design, const std::optional<Item>& before, const std::optional<Item>& after,
           const Ambient& ambient, const TableLookup& lookup)
      : design_(design), before_(before), after_(after), ambient_(ambient), lookup_(lookup) {}

  Result<Governed> run();

 private:
  Error refusal(const std::string& message, const Span& at) const;
  Error refusal(const Attribute& field, const std::string& message) const;

  // ---- Deleting ----
  Result<void> deleted();
  // Returns whether the entity is a copy, which changes with its source alone, and notes that.
  bool is_copy();

  // ---- Writing ----
  Result<void> written(const Item& item);
  // Adds what changes with the entity that the item was before.
  Result<void> replace_other();
  // Drops fields whose attributes were removed, even if a key of an index still holds them.
  void forget_what_was_removed();
  const Value* old_value(std::string_view field) const;
  bool is_changed(std::string_view field) const { return !same(find(fields_, field), old_value(field)); }

  // Keeps the fields of counters as they were. The values that the client wrote are compared later.
  void put_counters_aside();
  void put_counter_aside(const Copy& copy, const std::string& name);

  // ---- Snapshots and references ----
  // Takes snapshots of other entities when the item is new, unless the client wrote the values.
  Result<void> take_snapshots();
  // Returns nothing when the item does not name the entity to take values from; their absence is reported later.
  Result<std::optional<Item>> snapshot_key(const Copy& copy, const Entity& from) const;
  Result<void> take_from(const Copy& copy, const Item& source);
  // Adds the targets of new and changed references, which must exist.
  void add_references();
  // Returns the key of a reference's target: from the fields of the same names, and the reference itself for the one left over.
  std::optional<Item> referenced_key(const Attribute& field, const Entity& target);

  // ---- States ----
  // Returns the attribute that holds the state; for a state that is a key, the sort key of its index.
  const std::string& state_attribute(const Lifecycle& lifecycle) const;
  Result<void> take_state(const Lifecycle& lifecycle);
  // Refuses a new value of a field that the transition into the state writes into its key (PROGRESS#<last_crawled_start>): the write
  // would repeat the transition, or take over what somebody else has.
  Result<void> stay(const Lifecycle& lifecycle, const Value& held) const;
  // Takes the fields from the key of a state that a client wrote.
  Result<void> take_key(const Lifecycle& lifecycle, const Value& key);
  // Returns the first transition between the states that sets just what the client has set, otherwise the first one.
  const Transition* chosen_transition(const Lifecycle& lifecycle, const Value& from, const Value& to) const;
  Result<void> move(const Lifecycle& lifecycle, const Value& from, const Value& to);
  static std::string allowed_from(const Lifecycle& lifecycle, const Value& from, const Value& to);
  Error no_transition(const Lifecycle& lifecycle, const std::string& message) const;

  // ---- Computed fields ----
  // Drops fields whose `when` no longer holds, unless the client has just written them.
  Result<void> drop_what_is_over();
  // Completes the fields; returns them as they were sent.
  Result<Item> completed();
  // Returns the automatic times that stay as they are: those that the client sent anew, and those that this change does not set.
  FieldNames settled_moments();
  // Brings a value into the form that the design stores (DE is COUNTRY#DE), or returns why that is not possible.
  std::optional<std::string> why_not_given(const Attribute& field);
  // Returns whether anything changed besides the fields that the design computes.
  bool says_something() const;
  // Checks that computed fields that the client sent have the computed values.
  Result<void> check_sent(const Item& sent) const;
  // Checks the keys of indexes in the same way, unless they are fields or hold a state.
  Result<void> check_index_keys(const Item& item) const;
  Result<void> check_index_key(const std::string& attribute, const KeySource& source, const Item& item) const;

  const Design& design_;
  const std::optional<Item>& before_;
  const std::optional<Item>& after_;
  const Ambient& ambient_;
  const TableLookup& lookup_;
  Governed governed_;
  Decoded old_;
  const Entity* entity_ = nullptr;
  Item fields_;
  bool is_new_ = false;
  bool moved_ = false;  // a lifecycle went on
};

Result<Governed> ItemRule::run() {
  governed_.item = after_;
  const Item* const image = after_ ? &*after_ : before_ ? &*before_ : nullptr;
  if (image == nullptr || before_ == after_) return std::move(governed_);
  if (is_record(design_.table, *image)) {
    if (!is_free_record(design_.table, *image)) {
      governed_.only_with_its_source =
          refusal("the item is an internal record of Tavola", design_.table.at).message();
    }
    return std::move(governed_);
  }
  if (before_) old_ = decode(design_, *before_);
  TAVOLA_CHECK(after_ ? written(*after_) : deleted());
  return std::move(governed_);
}

Error ItemRule::refusal(const std::string& message, const Span& at) const {
  return Error::validation("Tavola: " + message + " [" + design_.file + ":" + std::to_string(at.begin.line) +
                           "]");
}

Error ItemRule::refusal(const Attribute& field, const std::string& message) const {
  return refusal(entity_->name + "." + field.name + " " + message, field.at);
}

// ---- Deleting ----

Result<void> ItemRule::deleted() {
  entity_ = governed_.entity = old_.entity;
  if (entity_ == nullptr) return {};
  if (is_copy()) return {};
  TAVOLA_TRY(governed_.dependent_writes,
             dependent_writes_of(design_, *entity_, &old_.fields, nullptr, ambient_));
  return {};
}

bool ItemRule::is_copy() {
  for (const Copy& copy : design_.copies) {
    const bool is_target = copy.to.text == entity_->name && copy.mode == Copy::Mode::Transaction &&
                           (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout);
    if (!is_target) continue;
    governed_.only_with_its_source =
        refusal(entity_->name + " is a copy; change the " + copy.from.text + " it is copied from", copy.at)
            .message();
    return true;
  }
  return false;
}

// ---- Writing ----

Result<void> ItemRule::written(const Item& item) {
  Decoded decoded = decode(design_, item);
  if (decoded.entity == nullptr) return fail(refusal(decoded.why_none, design_.table.at));
  entity_ = governed_.entity = decoded.entity;
  fields_ = std::move(decoded.fields);
  is_new_ = old_.entity != entity_;
  if (is_copy()) return {};
  forget_what_was_removed();
  put_counters_aside();
  TAVOLA_CHECK(take_snapshots());
  if (governed_.is_waiting) return {};
  for (const Lifecycle& lifecycle : entity_->lifecycles) TAVOLA_CHECK(take_state(lifecycle));
  TAVOLA_CHECK(drop_what_is_over());
  TAVOLA_TRY(const Item sent, completed());
  TAVOLA_CHECK(check_sent(sent));
  TAVOLA_TRY(governed_.item, to_item(design_, *entity_, fields_));
  TAVOLA_CHECK(check_index_keys(*governed_.item));
  const Item* const old_fields = is_new_ ? nullptr : &old_.fields;
  TAVOLA_TRY(governed_.dependent_writes,
             dependent_writes_of(design_, *entity_, old_fields, &fields_, ambient_));
  if (is_new_ && old_.entity != nullptr) TAVOLA_CHECK(replace_other());
  add_references();
  return {};
}

Result<void> ItemRule::replace_other() {
  TAVOLA_TRY(std::vector<DependentWrite> dependent_writes,
             dependent_writes_of(design_, *old_.entity, &old_.fields, nullptr, ambient_));
  std::ranges::move(dependent_writes, std::back_inserter(governed_.dependent_writes));
  return {};
}

void ItemRule::forget_what_was_removed() {
  if (is_new_) return;
  const std::vector<std::string> in_key = entity_->key_fields();
  for (const Attribute& field : entity_->fields) {
    const bool removed =
        field.stored && find(before_, field.name) != nullptr && find(after_, field.name) == nullptr;
    if (removed && std::ranges::find(in_key, field.name) == in_key.end()) fields_.erase(field.name);
  }
}

const Value* ItemRule::old_value(std::string_view field) const {
  return is_new_ ? nullptr : find(old_.fields, field);
}

void ItemRule::put_counters_aside() {
  for (const Copy& copy : design_.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity_->name) continue;
    put_counter_aside(copy, copy.count);
    for (const Assignment& sum : copy.sum) put_counter_aside(copy, sum.field);
  }
}

void ItemRule::put_counter_aside(const Copy& copy, const std::string& name) {
  const Attribute* field = entity_->find_field(name);
  if (field == nullptr) return;
  const Value* const sent = find(fields_, name);
  const Value* const old = old_value(name);
  if (sent != nullptr && is_changed(name)) {
    governed_.counters_sent[name] = *sent;
    governed_.counters_message =
        refusal(*field, "is maintained by " + copy.name + " and cannot be written").message();
  }
  if (old != nullptr) {
    fields_[name] = *old;
  } else {
    fields_[name] = Number(0);
  }
}

// ---- Snapshots and references ----

Result<void> ItemRule::take_snapshots() {
  if (!is_new_) return {};
  for (const Copy& copy : design_.copies) {
    if (copy.kind != Copy::Kind::Snapshot || copy.to.text != entity_->name) continue;
    const bool has_all = std::ranges::all_of(
        copy.carry, [&](const Assignment& taken) { return find(fields_, taken.field) != nullptr; });
    if (has_all) continue;
    const Entity& from = *design_.find_entity(copy.from.text);
    TAVOLA_TRY(const std::optional<Item> key, snapshot_key(copy, from));
    if (!key) continue;
    const std::optional<Item>* const source = lookup_.find(packed_key(*key));
    if (source == nullptr) {
      governed_.is_waiting = true;
    } else if (*source) {
      TAVOLA_CHECK(take_from(copy, decode(design_, **source).fields));
    }
  }
  return {};
}

Result<std::optional<Item>> ItemRule::snapshot_key(const Copy& copy, const Entity& from) const {
  Item key_fields;
  for (const Assignment& part : copy.key) {
    TAVOLA_TRY(const std::optional<Value> value, part.value.value(ambient_.with({.fields = &fields_})));
    if (value) key_fields[part.field] = *value;
  }
  for (const std::string& name : from.key_fields()) {
    const Value* const value = find(fields_, name);
    if (!key_fields.contains(name) && value != nullptr) key_fields[name] = *value;
    if (!key_fields.contains(name)) return std::nullopt;
  }
  TAVOLA_TRY(Item key, key_of(design_, from, key_fields));
  return std::optional(std::move(key));
}

Result<void> ItemRule::take_from(const Copy& copy, const Item& source) {
  for (const Assignment& taken : copy.carry) {
    if (find(fields_, taken.field) != nullptr) continue;
    TAVOLA_TRY(const std::optional<Value> value, taken.value.value(ambient_.with({.fields = &source})));
    if (value) TAVOLA_CHECK(assign_computed(*entity_, taken, *value, fields_));
  }
  return {};
}

void ItemRule::add_references() {
  for (const Attribute& field : entity_->fields) {
    if (field.ref.empty() || find(fields_, field.name) == nullptr || !is_changed(field.name)) continue;
    const Entity* const target = design_.find_entity(field.ref);
    std::optional<Item> key = target == nullptr ? std::nullopt : referenced_key(field, *target);
    if (!key) continue;
    std::string message = refusal(field, "must be a " + field.ref + " that exists (was " +
                                             to_plain_json(fields_[field.name]) + ")")
                              .message();
    governed_.references.push_back({*std::move(key), std::move(message)});
  }
}

std::optional<Item> ItemRule::referenced_key(const Attribute& field, const Entity& target) {
  Item key_fields;
  for (const std::string& name : target.key_fields()) {
    const Value* value = find(fields_, name);
    key_fields[name] = value != nullptr ? *value : fields_[field.name];
  }
  Result<Item> key = key_of(design_, target, key_fields);
  return key ? std::optional(*std::move(key)) : std::nullopt;
}

// ---- States ----

const std::string& ItemRule::state_attribute(const Lifecycle& lifecycle) const {
  if (!lifecycle.attribute.empty()) return lifecycle.attribute;
  const Index* const index = design_.find_index(lifecycle.index);
  TAVOLA_ASSERT(index != nullptr && index->range.has_value());
  return index->range->name;
}

Result<void> ItemRule::take_state(const Lifecycle& lifecycle) {
  const std::string& field = lifecycle.field();
  const std::string& attribute = state_attribute(lifecycle);
  const Value* const key = find(after_, attribute);
  const bool key_changed = !before_ || !same(key, find(before_, attribute));
  if (lifecycle.attribute.empty() && key != nullptr && key_changed) TAVOLA_CHECK(take_key(lifecycle, *key));
  const Value* const old_state = old_value(field);
  if (find(fields_, field) == nullptr) {
    // Left out: a put says all of an item, but its state is not given up by silence.
    fields_[field] = old_state != nullptr ? *old_state : Value(lifecycle.initial().name);
  }
  const Value& state = fields_[field];
  if (same(&state, old_state)) return stay(lifecycle, state);
  if (old_state != nullptr) return move(lifecycle, *old_state, state);
  if (state == Value(lifecycle.initial().name)) return {};
  return fail(no_transition(lifecycle, lifecycle.name + " begins as " + lifecycle.initial().name + " (was " +
                                           to_plain_json(state) + ")"));
}

Result<void> ItemRule::stay(const Lifecycle& lifecycle, const Value& held) const {
  const State* const state = held.is_string() ? lifecycle.find_state(held.string()) : nullptr;
  if (state == nullptr || !state->key) return {};
  const std::vector<std::string> in_key = state->key->fields();
  for (const Transition& transition : lifecycle.transitions) {
    if (transition.to.text != state->name) continue;
    const bool again = std::ranges::any_of(transition.set, [&](const Assignment& assignment) {
      return std::ranges::find(in_key, assignment.field) != in_key.end() &&
             find(fields_, assignment.field) != nullptr && is_changed(assignment.field);
    });
    if (again && chosen_transition(lifecycle, held, held) == nullptr) {
      return fail(no_transition(lifecycle, allowed_from(lifecycle, held, held)));
    }
  }
  return {};
}

Result<void> ItemRule::take_key(const Lifecycle& lifecycle, const Value& key) {
  for (const State& state : lifecycle.states) {
    if (!state.key) continue;
    const std::optional<Item> parts = state.key->read(key, entity_->forms());
    if (!parts) continue;
    for (const auto& [name, value] : *parts) {
      const Attribute* field = entity_->find_field(name);
      if (is_changed(name) && !same(find(fields_, name), &value)) {
        return fail(refusal(*field, "is " + to_plain_json(fields_[name]) + ", and " +
                                        state_attribute(lifecycle) + " says " + to_plain_json(value)));
      }
      fields_[name] = value;
    }
    fields_[lifecycle.name] = state.name;
    return {};
  }
  return fail(refusal(entity_->name + ": " + state_attribute(lifecycle) + " is not a key of " +
                          lifecycle.name + " (was " + to_plain_json(key) + ")",
                      lifecycle.at));
}

const Transition* ItemRule::chosen_transition(const Lifecycle& lifecycle, const Value& from,
                                              const Value& to) const {
  const Transition* first = nullptr;
  for (const Transition& transition : lifecycle.transitions) {
    const bool fits =
        Value(transition.to.text) == to &&
        std::ranges::any_of(transition.from, [&](const Word& word) { return Value(word.text) == from; });
    const bool has_all = std::ranges::all_of(
        transition.require, [&](const Word& field) { return find(fields_, field.text) != nullptr; });
    if (!fits || !has_all) continue;
    const bool is_said = std::ranges::all_of(
        transition.set, [&](const Assignment& assignment) { return is_changed(assignment.field); });
    if (is_said && !transition.set.empty()) return &transition;
    if (first == nullptr) first = &transition;
  }
  return first;
}

Result<void> ItemRule::move(const Lifecycle& lifecycle, const Value& from, const Value& to) {
  const Transition* const chosen = chosen_transition(lifecycle, from, to);
  if (chosen == nullptr) return fail(no_transition(lifecycle, allowed_from(lifecycle, from, to)));
  moved_ = true;
  for (const Assignment& assignment : chosen->set) {
    if (is_changed(assignment.field)) continue;  // the client said it
    TAVOLA_TRY(const std::optional<Value> value, assignment.value.value(ambient_.with({.fields = &fields_})));
    if (!value) continue;
    TAVOLA_TRY(fields_[assignment.field],
               accept_computed(*entity_->find_field(assignment.field), assignment.value, *value));
  }
  return {};
}

std::string ItemRule::allowed_from(const Lifecycle& lifecycle, const Value& from, const Value& to) {
  std::string allowed;
  for (const Transition& transition : lifecycle.transitions) {
    for (const Word& word : transition.from) {
      if (Value(word.text) != from) continue;
      allowed += (allowed.empty() ? "" : ", ") + transition.name + " to " + transition.to.text;
      const std::string needed = joined(transition.require, &Word::text);
      if (!needed.empty()) allowed += " with " + needed;
    }
  }
  return lifecycle.name + " is " + to_plain_json(from) + " and cannot become " + to_plain_json(to) +
         "; possible: " + (allowed.empty() ? "nothing" : allowed);
}

Error ItemRule::no_transition(const Lifecycle& lifecycle, const std::string& message) const {
  return {ErrorCode::ConditionalCheckFailed, "Tavola: " + entity_->name + "." + message + " [" +
                                                 design_.file + ":" +
                                                 std::to_string(lifecycle.at.begin.line) + "]"};
}

// ---- Computed fields ----

Result<void> ItemRule::drop_what_is_over() {
  for (const Attribute& field : entity_->fields) {
    if (!field.when || is_changed(field.name)) continue;
    TAVOLA_TRY(const bool there, field.when->holds(ambient_.with({.fields = &fields_})));
    if (!there) fields_.erase(field.name);
  }
  return {};
}

Result<Item> ItemRule::completed() {
  Item sent = fields_;
  for (const Attribute& field : entity_->fields) {
    const bool stays = field.automatic == Attribute::Auto::Create && find(fields_, field.name) == nullptr;
    if (field.immutable && old_value(field.name) != nullptr && is_changed(field.name) && !stays) {
      return fail(refusal(field, "may not change (was " + to_plain_json(*old_value(field.name)) + ")"));
    }
    if (find(fields_, field.name) == nullptr) continue;
    if (field.is_computed()) continue;
    if (const auto why = why_not_given(field)) return fail(refusal(field, *why));
  }
  const Occasion occasion = is_new_ ? Occasion::Creation : moved_ ? Occasion::Transition : Occasion::Change;
  const FieldNames settled = settled_moments();  // which changes the fields
  Result<Item> whole = complete(*entity_, std::move(fields_), occasion, ambient_, settled);
  if (!whole) return fail(refusal(entity_->name + ": " + whole.error().message(), entity_->at));
  fields_ = *std::move(whole);
  return sent;
}

FieldNames ItemRule::settled_moments() {
  const bool is_silent = !is_new_ && !says_something();
  FieldNames settled;
  for (const Attribute& field : entity_->fields) {
    if (field.automatic == Attribute::Auto::No) continue;
    const Value* const old = old_value(field.name);
    const bool is_first = field.automatic == Attribute::Auto::Create && old != nullptr;
    const bool is_sent = find(fields_, field.name) != nullptr && is_changed(field.name) && !is_first;
    const bool is_past = is_first || (field.automatic == Attribute::Auto::Transition && !moved_) ||
                         (field.automatic == Attribute::Auto::Update && is_silent);
    if (!is_sent && is_past && old != nullptr) fields_[field.name] = *old;
    if (is_sent || (is_past && old != nullptr)) settled.insert(field.name);
  }
  return settled;
}

std::optional<std::string> ItemRule::why_not_given(const Attribute& field) {
  const Result<Value> accepted = from_plain(field, fields_[field.name]);
  if (accepted) {
    fields_[field.name] = *accepted;
    return std::nullopt;
  }
  if (auto why = why_not(field, fields_[field.name])) return why;
  return accepted.error().message();
}

bool ItemRule::says_something() const {
  const auto counts = [&](const std::string& name) {
    const Attribute* field = entity_->find_field(name);
    return (field == nullptr || !field->is_computed()) && is_changed(name);
  };
  return std::ranges::any_of(fields_, counts, &Item::value_type::first) ||
         std::ranges::any_of(old_.fields, counts, &Item::value_type::first);
}

Result<void> ItemRule::check_sent(const Item& sent) const {
  for (const Attribute& field : entity_->fields) {
    if (!field.value && !field.derive) continue;
    const Value* const value = find(sent, field.name);
    if (value == nullptr || same(value, old_value(field.name))) continue;
    const Value* const right = find(fields_, field.name);
    if (same(value, right)) continue;
    return fail(refusal(field, "is computed: it is " + (right == nullptr ? "absent" : to_plain_json(*right)) +
                                   " (was " + to_plain_json(*value) + "); leave it out"));
  }
  return {};
}

Result<void> ItemRule::check_index_keys(const Item& item) const {
  for (const IndexEntry& entry : entity_->indexes) {
    const Index& index = *design_.find_index(entry.index);
    TAVOLA_CHECK(check_index_key(index.hash.name, entry.hash, item));
    if (index.range && entry.range) TAVOLA_CHECK(check_index_key(index.range->name, *entry.range, item));
  }
  return {};
}

Result<void> ItemRule::check_index_key(const std::string& attribute, const KeySource& source,
                                       const Item& item) const {
  const Value* const value = find(after_, attribute);
  if (!source.from || value == nullptr || (before_ && same(value, find(*before_, attribute)))) return {};
  if (same(value, find(item, attribute))) return {};
  const Value* const right = find(item, attribute);
  return fail(refusal(entity_->name + ": the key " + attribute + " is computed: it is " +
                          (right == nullptr ? "absent" : to_plain_json(*right)) + " (was " +
                          to_plain_json(*value) + "); leave it out",
                      source.at));
}

}  // namespace

Result<Governed> govern(const Design& design, const std::optional<Item>& before,
                        const std::optional<Item>& after, const Ambient& ambient, const TableLookup& lookup) {
  return ItemRule(design, before, after, ambient, lookup).run();
}

std::optional<std::int64_t> stuck_at(const Entity& entity, const Item& fields) {
  std::optional<std::int64_t> earliest;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    const Value* const held = find(fields, lifecycle.field());
    const State* const state =
        held != nullptr && held->is_string() ? lifecycle.find_state(held->string()) : nullptr;
    if (state == nullptr || !state->stuck_after) continue;
    const std::optional<std::int64_t> since = since_when(entity, *state, fields);
    if (!since) continue;
    const std::int64_t due = *since + state->stuck_after->count();
    earliest = std::min(earliest.value_or(due), due);
  }
  return earliest;
}

}  // namespace tavola::design
