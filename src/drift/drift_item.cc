#include "drift/drift_item.h"

#include <algorithm>

#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/model/field_value.h"
#include "design/model/secrets.h"
#include "drift/shown_value.h"

namespace tavola::drift {
namespace {

using design::Attribute;
using design::Decoded;
using design::Entity;
using design::Index;
using design::IndexEntry;
using design::Lifecycle;

const Value* find(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

class ItemInspection {
 public:
  ItemInspection(const DriftDesign& design, const Item& item) : design_(design), item_(item) {}

  Inspection run() && {
    if (!find_entity()) return std::move(found_);
    drop_what_only_index_keys_tell();
    for (const Attribute& field : said_->fields) check_field(field);
    for (const Lifecycle& lifecycle : said_->lifecycles) check_state(lifecycle);
    compare_with_computed();
    check_rules();
    return std::move(found_);
  }

 private:
  void add(DriftRule rule, std::string about, std::string text, bool can_be_computed = false) {
    found_.problems.push_back({rule, std::move(about), std::move(text), can_be_computed});
  }

  bool find_entity() {
    Decoded decoded = design::decode(design_.computed(), item_);
    const std::string& mark = design_.computed().table.entity_attribute;
    if (decoded.entity == nullptr && item_.contains(mark)) {
      // The key identifies the entity, unless it matches two.
      Item unmarked = item_;
      unmarked.erase(mark);
      Decoded by_key = design::decode(design_.computed(), unmarked);
      if (by_key.entity != nullptr) decoded = std::move(by_key);
    }
    if (decoded.entity == nullptr) {
      add(DriftRule::UnmatchedItem, "", decoded.why_none);
      return false;
    }
    found_.entity = decoded.entity;
    found_.fields = std::move(decoded.fields);
    said_ = &design_.said(*decoded.entity);
    return true;
  }

  // A whole item has its fields as attributes. Further values in an index key may be left over from an older
  // value.
  void drop_what_only_index_keys_tell() {
    const std::vector<std::string> in_key = said_->key_fields();
    std::erase_if(found_.fields, [&](const auto& field) {
      const Attribute* const declared = said_->find_field(field.first);
      return declared != nullptr && declared->stored && !item_.contains(field.first) &&
             std::ranges::find(in_key, field.first) == in_key.end();
    });
  }

  std::string named(const std::string& field) const { return said_->name + "." + field; }

  void check_field(const Attribute& field) {
    const Value* const value = find(found_.fields, field.name);
    if (value != nullptr) {
      if (field.value || field.derive) return;  // compared with the computed value
      if (const auto why = design::why_not_named(field, *value))
        add(DriftRule::Field, named(field.name), *why);
    }
    if (field.value || field.derive) return;
    if (field.when) return check_presence(field, *field.when, value != nullptr);
    const auto lifecycle = std::ranges::find(said_->lifecycles, field.name, &Lifecycle::attribute);
    const bool holds_a_state = lifecycle != said_->lifecycles.end();
    if (value != nullptr || (!field.required && !holds_a_state)) return;
    // An item from before the field was declared gets its default, and one from before the lifecycle the initial state.
    std::optional<Value> otherwise = field.stored ? field.otherwise : std::nullopt;
    if (holds_a_state) otherwise = Value(lifecycle->initial().name);
    add(DriftRule::Field, named(field.name),
        field.name + (holds_a_state ? " has no state of " + lifecycle->name : " is required"),
        otherwise.has_value());
    if (otherwise) found_.fields.insert_or_assign(field.name, *std::move(otherwise));
  }

  void check_presence(const Attribute& field, const design::Rule& when, bool is_there) {
    if (when.changes_by_itself()) return;  // it was evaluated when the item was written
    const Result<bool> holds = when.holds({.fields = &found_.fields});
    if (!holds || *holds == is_there) return;
    add(DriftRule::Field, named(field.name),
        field.name + (is_there ? " is only allowed when " : " is required when ") + when.text());
  }

  void check_rules() {
    for (const design::EntityRule& rule : said_->rules) {
      if (!design::keeps(rule, found_.fields))
        add(DriftRule::Field, named(rule.name), design::broken_text(*said_, rule));
    }
    if (!said_->closed) return;
    for (const auto& [name, value] : item_) {
      if (!design::is_declared(design_.said(), *said_, name))
        add(DriftRule::Field, named(name), design::undeclared_text(*said_, name));
    }
  }

  // Decoding has found a state in an index key; other states are in their attribute.
  void check_state(const Lifecycle& lifecycle) {
    const Value* const state = find(found_.fields, lifecycle.field());
    if (!lifecycle.attribute.empty()) {
      const bool known =
          state == nullptr || (state->is_string() && lifecycle.find_state(state->string()) != nullptr);
      if (!known) {
        const bool is_told = std::ranges::any_of(found_.problems, [&](const ItemProblem& problem) {
          return problem.about == named(lifecycle.attribute);
        });
        if (!is_told) {
          add(DriftRule::Field, named(lifecycle.attribute),
              lifecycle.attribute + " must be a state of " + lifecycle.name + " (was " +
                  shown_value(said_->find_field(lifecycle.attribute), state) + ")");
        }
        found_.fields.erase(lifecycle.attribute);
      }
      return;
    }
    if (state != nullptr) return;
    const Index& index = *design_.said().find_index(lifecycle.index);
    if (!index.range) return;  // a state is in a sort key
    const std::string& attribute = index.range->name;
    const Value* const key = find(item_, attribute);
    add(DriftRule::StateKey, named(lifecycle.name),
        key == nullptr
            ? "there is no " + attribute + ", which holds the state of " + lifecycle.name
            : attribute + " is " + shown_value(nullptr, key) + ", which is not a key of " + lifecycle.name);
    stateless_.push_back(attribute);
    stateless_.push_back(index.hash.name);  // its state decides whether the item is in the index
  }

  void compare_with_computed() {
    Result<Item> whole =
        design::complete(*found_.entity, found_.fields, design::Occasion::Change, design::Ambient{});
    if (!whole) {
      for (ItemProblem& problem : found_.problems) problem.can_be_computed = false;
      if (found_.problems.empty()) add(DriftRule::Field, said_->name, whole.error().message());
      return;
    }
    const Result<Item> right = design::to_item(design_.computed(), *found_.entity, *whole);
    if (!right) {
      for (ItemProblem& problem : found_.problems) problem.can_be_computed = false;
      const bool has_state_keys =
          std::ranges::any_of(said_->lifecycles, [](const Lifecycle& one) { return one.attribute.empty(); });
      add(has_state_keys ? DriftRule::StateKey : DriftRule::IndexKey, said_->name, right.error().message());
      return;
    }
    found_.fields = *std::move(whole);
    for (const auto& [name, value] : *right) compare(name, find(item_, name), &value);
    for (const auto& [name, value] : item_) {
      if (!right->contains(name)) compare(name, &value, nullptr);
    }
  }

  void compare(const std::string& name, const Value* is, const Value* should_be) {
    if (is != nullptr && should_be != nullptr && *is == *should_be) return;
    if (is == nullptr && should_be == nullptr) return;
    if (std::ranges::find(stateless_, name) != stateless_.end()) return;  // reported already
    const Attribute* const field = said_->find_field(name);
    const std::string text =
        field != nullptr && design::holds_secret(*field)
            ? name + " is not what it should be"
            : name + " is " + shown_value(field, is) + ", should be " + shown_value(field, should_be);
    const DriftRule rule = rule_of(name);
    const auto told = std::ranges::find_if(found_.problems, [&](const ItemProblem& problem) {
      return rule == DriftRule::Field && problem.about == named(name);
    });
    if (told != found_.problems.end()) {
      if (told->can_be_computed && should_be != nullptr) found_.corrections[name] = *should_be;
      return;
    }
    // The item alone does not show whether a state's key or its fields are right, nor the right value of a given field.
    // An index key attribute for which this entity has no template may be data of a client.
    const bool is_foreign = rule == DriftRule::IndexKey && should_be == nullptr && !has_key(name);
    const bool can_be_computed = rule != DriftRule::StateKey && rule != DriftRule::Field && !is_foreign;
    add(rule, rule == DriftRule::IndexKey ? name + " of " + said_->name : named(name), text, can_be_computed);
    if (can_be_computed) {
      found_.corrections[name] = should_be == nullptr ? std::nullopt : std::optional(*should_be);
    }
  }

  DriftRule rule_of(const std::string& name) const {
    if (name == design_.said().table.entity_attribute) return DriftRule::EntityAttribute;
    const Attribute* const field = said_->find_field(name);
    if (field != nullptr) return field->is_computed() ? DriftRule::DerivedValue : DriftRule::Field;
    return holds_state(name) ? DriftRule::StateKey : DriftRule::IndexKey;
  }

  bool has_key(const std::string& attribute) const {
    return std::ranges::any_of(said_->indexes, [&](const IndexEntry& entry) {
      const Index* const index = design_.said().find_index(entry.index);
      return index->hash.name == attribute || (index->range && index->range->name == attribute);
    });
  }

  bool holds_state(const std::string& attribute) const {
    return std::ranges::any_of(said_->indexes, [&](const IndexEntry& entry) {
      const Index* const index = design_.said().find_index(entry.index);
      const bool in_range =
          index->range && index->range->name == attribute && entry.range && !entry.range->lifecycle.empty();
      return in_range || (index->hash.name == attribute && !entry.hash.lifecycle.empty());
    });
  }

  const DriftDesign& design_;
  const Item& item_;
  const Entity* said_ = nullptr;
  std::vector<std::string> stateless_;  // keys that hold no state
  Inspection found_;
};

}  // namespace

Inspection inspect(const DriftDesign& design, const Item& item) { return ItemInspection(design, item).run(); }

}  // namespace tavola::drift
