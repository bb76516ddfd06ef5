#include "design/govern.h"

#include <algorithm>

#include "design/dependencies.h"
#include "design/field_value.h"
#include "design/parameters.h"
#include "design/plain_json.h"

namespace tavola::design {
namespace {

const Value* find(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

bool same(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

// One change of one item.
class Governing {
 public:
  Governing(const Design& design, const std::optional<Item>& before, const std::optional<Item>& after,
            const Moment& moment)
      : design_(design), before_(before), after_(after), moment_(moment) {}

  Result<Governed> run() {
    if (before_ == after_) return Governed{.item = after_, .companions = {}};
    for (const std::optional<Item>* image : {&before_, &after_}) {
      if (*image && is_record(design_.table, **image)) {
        return fail(refusal("the item is a record of Tavola's own", design_.table.at));
      }
    }
    if (before_) old_ = decode(design_, *before_);
    return after_ ? written() : deleted();
  }

 private:
  Error refusal(const std::string& message, const Span& at) const {
    return Error::validation("Tavola: " + message + " [" + design_.file + ":" +
                             std::to_string(at.begin.line) + "]");
  }
  Error refusal(const Attribute& field, const std::string& message) const {
    return refusal(entity_->name + "." + field.name + " " + message, field.at);
  }

  // ---- Deleting ----

  Result<Governed> deleted() {
    entity_ = old_.entity;
    if (entity_ == nullptr) return Governed{};
    TAVOLA_CHECK(check_no_copy());
    Governed governed;
    TAVOLA_TRY(governed.companions, companions_of(design_, *entity_, &old_.fields, nullptr, moment_));
    return governed;
  }

  // A copy changes with its source.
  Result<void> check_no_copy() const {
    for (const Copy& copy : design_.copies) {
      const bool is_target = copy.to.text == entity_->name && copy.mode == Copy::Mode::Transaction &&
                             (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout);
      if (is_target) {
        return fail(refusal(entity_->name + " is a copy; change the " + copy.from.text + " it is made from",
                            copy.at));
      }
    }
    return {};
  }

  // ---- Writing ----

  Result<Governed> written() {
    Decoded decoded = decode(design_, *after_);
    if (decoded.entity == nullptr) return fail(refusal(decoded.why_none, design_.table.at));
    entity_ = decoded.entity;
    fields_ = std::move(decoded.fields);
    is_new_ = old_.entity != entity_;
    TAVOLA_CHECK(check_no_copy());
    TAVOLA_CHECK(check_counters());
    for (const Lifecycle& lifecycle : entity_->lifecycles) TAVOLA_CHECK(take_state(lifecycle));
    TAVOLA_CHECK(drop_what_is_over());
    TAVOLA_TRY(const Item sent, completed());
    TAVOLA_CHECK(check_sent(sent));
    Governed governed;
    TAVOLA_TRY(governed.item, to_item(design_, *entity_, fields_));
    TAVOLA_CHECK(check_index_keys(*governed.item));
    const Item* const old_fields = is_new_ ? nullptr : &old_.fields;
    TAVOLA_TRY(governed.companions, companions_of(design_, *entity_, old_fields, &fields_, moment_));
    return governed;
  }

  const Value* old_value(std::string_view field) const {
    return is_new_ ? nullptr : find(old_.fields, field);
  }
  bool is_changed(std::string_view field) const { return !same(find(fields_, field), old_value(field)); }

  // What a counter keeps on the entity is the counter's.
  Result<void> check_counters() const {
    for (const Copy& copy : design_.copies) {
      if (copy.kind != Copy::Kind::Counter || copy.to.text != entity_->name) continue;
      TAVOLA_CHECK(check_counter(copy, copy.count));
      for (const Assignment& sum : copy.sum) TAVOLA_CHECK(check_counter(copy, sum.field));
    }
    return {};
  }

  Result<void> check_counter(const Copy& copy, const std::string& name) const {
    const Value* const value = find(fields_, name);
    const Attribute* field = entity_->find_field(name);
    if (field == nullptr || !is_changed(name)) return {};
    const bool begins = is_new_ && value != nullptr && value->is_number() && value->number().is_zero();
    if (begins) return {};
    return fail(refusal(*field, "is kept by " + copy.name + " and cannot be written"));
  }

  // ---- States ----

  // The attribute that holds the state; of a state that is a key, the range key of its index.
  const std::string& state_attribute(const Lifecycle& lifecycle) const {
    return lifecycle.attribute.empty() ? design_.find_index(lifecycle.index)->range->name
                                       : lifecycle.attribute;
  }
  Result<void> take_state(const Lifecycle& lifecycle) {
    const std::string& field = lifecycle.field();
    const std::string& attribute = state_attribute(lifecycle);
    const Value* const key = find(*after_, attribute);
    const bool key_changed = !before_ || !same(key, find(*before_, attribute));
    if (lifecycle.attribute.empty() && key != nullptr && key_changed) TAVOLA_CHECK(take_key(lifecycle, *key));
    const Value* const old_state = old_value(field);
    if (find(fields_, field) == nullptr) {
      // Left out: a put says all of an item, but its state is not given up by silence.
      fields_[field] = old_state != nullptr ? *old_state : Value(lifecycle.initial().name);
    }
    const Value& state = fields_[field];
    if (same(&state, old_state)) return {};
    if (old_state != nullptr) return move(lifecycle, *old_state, state);
    if (state == Value(lifecycle.initial().name)) return {};
    return fail(no_transition(lifecycle, lifecycle.name + " begins as " + lifecycle.initial().name +
                                             " (was " + to_plain_json(state) + ")"));
  }

  // A client wrote the key of a state: its parts are the fields.
  Result<void> take_key(const Lifecycle& lifecycle, const Value& key) {
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
    return fail(refusal(entity_->name + ": " + state_attribute(lifecycle) + " is no key of " +
                            lifecycle.name + " (was " + to_plain_json(key) + ")",
                        lifecycle.at));
  }

  Result<void> move(const Lifecycle& lifecycle, const Value& from, const Value& to) {
    const Transition* chosen = nullptr;
    for (const Transition& transition : lifecycle.transitions) {
      const bool fits =
          Value(transition.to.text) == to &&
          std::ranges::any_of(transition.from, [&](const Word& word) { return Value(word.text) == from; });
      const bool has_all = std::ranges::all_of(
          transition.require, [&](const Word& field) { return find(fields_, field.text) != nullptr; });
      if (fits && has_all) {
        chosen = &transition;
        break;
      }
    }
    if (chosen == nullptr) return fail(no_transition(lifecycle, allowed_from(lifecycle, from, to)));
    moved_ = true;
    for (const Assignment& assignment : chosen->set) {
      if (is_changed(assignment.field)) continue;  // the client said it
      TAVOLA_TRY(const std::optional<Value> value,
                 assignment.value.value({.fields = &fields_, .now = moment_.now, .random = moment_.random}));
      if (!value) continue;
      TAVOLA_TRY(fields_[assignment.field],
                 accept_computed(*entity_->find_field(assignment.field), assignment.value, *value));
    }
    return {};
  }

  static std::string allowed_from(const Lifecycle& lifecycle, const Value& from, const Value& to) {
    std::string allowed;
    for (const Transition& transition : lifecycle.transitions) {
      for (const Word& word : transition.from) {
        if (Value(word.text) != from) continue;
        allowed += (allowed.empty() ? "" : ", ") + transition.name + " to " + transition.to.text;
        for (const Word& field : transition.require) allowed += " with " + field.text;
      }
    }
    return lifecycle.name + " is " + to_plain_json(from) + " and cannot become " + to_plain_json(to) +
           "; possible: " + (allowed.empty() ? "nothing" : allowed);
  }

  Error no_transition(const Lifecycle& lifecycle, const std::string& message) const {
    return {ErrorCode::ConditionalCheckFailed, "Tavola: " + entity_->name + "." + message + " [" +
                                                   design_.file + ":" +
                                                   std::to_string(lifecycle.at.begin.line) + "]"};
  }

  // ---- Computed fields ----

  // A field whose `when` no longer holds goes by itself, unless the client has just written it.
  Result<void> drop_what_is_over() {
    for (const Attribute& field : entity_->fields) {
      if (!field.when || is_changed(field.name)) continue;
      TAVOLA_TRY(const bool there, field.when->holds({.fields = &fields_, .now = moment_.now}));
      if (!there) fields_.erase(field.name);
    }
    return {};
  }

  // Completes the fields; returns them as they were sent.
  Result<Item> completed() {
    Item sent = fields_;
    for (const Attribute& field : entity_->fields) {
      if (field.immutable && old_value(field.name) != nullptr && is_changed(field.name)) {
        return fail(refusal(field, "may not change (was " + to_plain_json(*old_value(field.name)) + ")"));
      }
      if (find(fields_, field.name) == nullptr) continue;
      if (field.is_computed()) continue;
      if (const auto why = why_not_given(field)) return fail(refusal(field, *why));
    }
    const bool is_silent = !is_new_ && !says_something();
    const Occasion occasion = is_new_ ? Occasion::Creation : moved_ ? Occasion::Transition : Occasion::Change;
    Result<Item> whole = complete(*entity_, fields_, occasion, moment_);
    if (!whole) return fail(refusal(entity_->name + ": " + whole.error().message(), entity_->at));
    for (const Attribute& field : entity_->fields) {
      const Value* const old_moment = old_value(field.name);
      const bool keeps = field.automatic == Attribute::Auto::Create ||
                         (field.automatic == Attribute::Auto::Transition && !moved_) ||
                         (field.automatic == Attribute::Auto::Update && is_silent);
      if (keeps && old_moment != nullptr) (*whole)[field.name] = *old_moment;
    }
    fields_ = *std::move(whole);
    return sent;
  }

  // Values in the form the design stores: DE is COUNTRY#DE.
  std::optional<std::string> why_not_given(const Attribute& field) {
    const Result<Value> accepted = from_plain(field, fields_[field.name]);
    if (accepted) {
      fields_[field.name] = *accepted;
      return std::nullopt;
    }
    if (auto why = why_not(field, fields_[field.name])) return why;
    return accepted.error().message();
  }

  // Whether anything changed but what the design keeps by itself.
  bool says_something() const {
    const auto counts = [&](const std::string& name) {
      const Attribute* field = entity_->find_field(name);
      return (field == nullptr || !field->is_computed()) && is_changed(name);
    };
    return std::ranges::any_of(fields_, counts, &Item::value_type::first) ||
           std::ranges::any_of(old_.fields, counts, &Item::value_type::first);
  }

  // What the client sent of computed fields must be what they are.
  Result<void> check_sent(const Item& sent) const {
    for (const Attribute& field : entity_->fields) {
      if (!field.value && !field.derive) continue;
      const Value* const value = find(sent, field.name);
      if (value == nullptr || same(value, old_value(field.name))) continue;
      const Value* const right = find(fields_, field.name);
      if (same(value, right)) continue;
      return fail(refusal(field, "is computed: it is " +
                                     (right == nullptr ? "absent" : to_plain_json(*right)) + " (was " +
                                     to_plain_json(*value) + "); leave it out"));
    }
    return {};
  }

  // The same of the keys of indexes, as far as they are no fields and hold no state.
  Result<void> check_index_keys(const Item& item) const {
    for (const IndexEntry& entry : entity_->indexes) {
      const Index& index = *design_.find_index(entry.index);
      TAVOLA_CHECK(check_index_key(index.hash.name, entry.hash, item));
      if (index.range && entry.range) TAVOLA_CHECK(check_index_key(index.range->name, *entry.range, item));
    }
    return {};
  }

  Result<void> check_index_key(const std::string& attribute, const KeySource& source,
                               const Item& item) const {
    const Value* const value = find(*after_, attribute);
    if (!source.from || value == nullptr || (before_ && same(value, find(*before_, attribute)))) return {};
    if (same(value, find(item, attribute))) return {};
    const Value* const right = find(item, attribute);
    return fail(refusal(entity_->name + ": the key " + attribute + " is computed: it is " +
                            (right == nullptr ? "absent" : to_plain_json(*right)) + " (was " +
                            to_plain_json(*value) + "); leave it out",
                        source.at));
  }

  const Design& design_;
  const std::optional<Item>& before_;
  const std::optional<Item>& after_;
  const Moment& moment_;
  Decoded old_;
  const Entity* entity_ = nullptr;
  Item fields_;
  bool is_new_ = false;
  bool moved_ = false;  // a lifecycle went on
};

}  // namespace

Result<Governed> govern(const Design& design, const std::optional<Item>& before,
                        const std::optional<Item>& after, const Moment& moment) {
  return Governing(design, before, after, moment).run();
}

}  // namespace tavola::design
