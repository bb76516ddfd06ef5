#include "design/rules/compiled_counters.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "design/items/entity_mark.h"
#include "design/model/arguments.h"
#include "design/model/dependencies.h"
#include "design/model/field_value.h"
#include "design/rules/compiled_entity.h"
#include "design/rules/packed_change.h"
#include "value/key_codec.h"
#include "value/limits.h"
#include "value/optional_item.h"
#include "value/packed_attributes.h"

namespace tavola::design {
namespace {

// ---- Plans

// Returns whether a rule gives equal results for equal fields.
bool is_settled_by_fields(const Rule& rule) {
  return !rule.changes_by_itself() && !rule.uses_caller() && rule.parameters().empty();
}

// Returns whether nothing follows from a change of the entity's counters but the counters themselves.
bool only_counts(const Design& design, const Entity& entity) {
  return entity.rules.empty() && std::ranges::none_of(design.consequences, [&](const Consequence& one) {
           return is_of(one, entity);
         });
}

class CounterCompiler {
 public:
  CounterCompiler(const Design& design, const Entity& from, const Copy& copy)
      : design_(design), from_(from), copy_(copy), to_(*design.find_entity(copy.to.text)) {}

  std::optional<CounterPlan> run() {
    plan_.to = &to_;
    plan_.mark_name = design_.table.entity_attribute;
    plan_.packed_mark = packed_value(entity_mark(design_, to_)).value_or("");
    if (copy_.mode != Copy::Mode::Transaction || !only_counts(design_, to_)) return std::nullopt;
    const bool planned = plan_when() && plan_key_fields() && plan_keys() && plan_counters();
    return planned ? std::optional(std::move(plan_)) : std::nullopt;
  }

 private:
  // Plans a rule over the fields of the items that are counted.
  std::optional<RulePlan> plan(const Rule& rule) {
    std::optional<RulePlan> planned = is_settled_by_fields(rule) ? plan_rule(from_, rule) : std::nullopt;
    if (!planned) return std::nullopt;
    for (const std::size_t field : planned->fields) {
      if (std::ranges::find(plan_.fields, field) == plan_.fields.end()) plan_.fields.push_back(field);
      // A stored time may be in another form than the rule sees it.
      if (from_.fields[field].type.is_timestamp()) planned->numbers.reset();
    }
    return planned;
  }

  bool plan_when() {
    if (copy_.when) plan_.when = plan(*copy_.when);
    return plan_.when.has_value() == copy_.when.has_value();
  }

  bool plan_key_fields() {
    return std::ranges::all_of(copy_.key, [&](const Assignment& one) {
      const std::size_t to = number_of(to_, one.field);
      std::optional<RulePlan> rule = plan(one.value);
      if (to == kNone || !rule) return false;
      const bool is_field = rule->fields.size() == 1 &&
                            one.value.text() == from_.fields[rule->fields.front()].name &&
                            !from_.fields[rule->fields.front()].type.is_timestamp();
      const bool is_copied =
          is_field && is_taken_as_it_is(to_.fields[to]) && !to_.fields[to].type.is_timestamp();
      plan_.key.push_back({.to = to,
                           .attribute = &to_.fields[to],
                           .copied = is_copied ? rule->fields.front() : kNone,
                           .rule = *std::move(rule)});
      return true;
    });
  }

  bool plan_keys() {
    auto hash = plan_key(to_, to_.hash, {.type = Type::String, .bytes_max = limits::kPartitionKeyBytesMax});
    if (!hash || to_.range.has_value() != design_.table.range.has_value()) return false;
    plan_.hash = *std::move(hash);
    plan_.hash_name = design_.table.hash.name;
    if (!to_.range) return true;
    plan_.range = plan_key(to_, *to_.range, {.type = Type::String, .bytes_max = limits::kSortKeyBytesMax});
    plan_.range_name = design_.table.range->name;
    return plan_.range.has_value();
  }

  bool plan_counters() {
    if (!copy_.count.empty()) plan_.counters.push_back({.name = copy_.count});
    for (const Assignment& sum : copy_.sum) {
      std::optional<RulePlan> rule = plan(sum.value);
      const bool is_other =
          std::ranges::find(plan_.counters, sum.field, &CounterPlan::Counter::name) == plan_.counters.end();
      if (!rule || !is_other) return false;
      plan_.counters.push_back({.name = sum.field, .sum = std::move(rule)});
    }
    return true;
  }

  const Design& design_;
  const Entity& from_;
  const Copy& copy_;
  const Entity& to_;
  CounterPlan plan_;
};

// ---- Additions

// The contribution of an item, as it was or as it becomes, to a counter.
struct PackedContribution {
  bool is_there = false;
  Bytes hash;
  Bytes range;
  std::vector<Number> numbers;
};

enum class ImageTime : std::uint8_t { Before, After };

// A member that returns bool returns false when the long way must decide.
class ContributionRule {
 public:
  ContributionRule(PackedChange& change, const CounterPlan& plan, ImageTime time)
      : change_(change),
        plan_(plan),
        time_(time),
        fields_(time == ImageTime::Before ? change.old_fields : change.fields) {}

  bool find(PackedContribution& out) {
    if (!find_key(out)) return false;
    if (!out.is_there) return true;
    out.numbers.reserve(plan_.counters.size());
    return std::ranges::all_of(plan_.counters, [&](const CounterPlan::Counter& one) {
      return !one.sum ? (out.numbers.emplace_back(1), true) : add(*one.sum, out.numbers);
    });
  }

  // Finds out which item counts, if any does.
  bool find_key(PackedContribution& out) {
    if (plan_.when) {
      const Item inputs = unpacked(plan_.when->fields);
      const Result<bool> holds = plan_.when->rule->holds(change_.ambient.with({.fields = &inputs}));
      if (!holds || !*holds) return holds.has_value();
    }
    const FieldBytes of_key = change_.scratch.values(plan_.to->fields.size());
    for (const CounterPlan::KeyField& field : plan_.key) {
      if (!take(field, of_key[field.to])) return false;
    }
    out.is_there = true;
    return make_key(plan_.hash, of_key, out.hash) && !text_of(out.hash).starts_with('$') &&
           (!plan_.range || make_key(*plan_.range, of_key, out.range));
  }

 private:
  Item unpacked(const std::vector<std::size_t>& wanted) const {
    return time_ == ImageTime::Before ? change_.old_unpacked(wanted) : change_.unpacked(wanted);
  }

  bool take(const CounterPlan::KeyField& field, Bytes& out) {
    if (field.copied != kNone) {
      out = fields_[field.copied];
      return !out.empty() && suits(*field.attribute, ValueView(out));
    }
    const Item inputs = unpacked(field.rule.fields);
    const Result<std::optional<Value>> computed =
        field.rule.rule->value(change_.ambient.with({.fields = &inputs}));
    const std::optional<Value> value = computed.value_or(std::nullopt);
    if (!value) return false;
    const Result<Value> accepted = accept_computed(*field.attribute, *field.rule.rule, *value);
    return accepted && change_.keep(*accepted, out);
  }

  bool make_key(const KeyPlan& key, const FieldBytes& of_key, Bytes& out) {
    return change_.render_key(key, of_key, out) && !out.empty();
  }

  bool add(const RulePlan& sum, std::vector<Number>& numbers) const {
    const bool has_numbers = std::ranges::all_of(sum.fields, [&](std::size_t field) {
      return !fields_[field].empty() && ValueView(fields_[field]).type() == Type::Number;
    });
    if (sum.numbers && has_numbers) {
      const Result<Number> number =
          sum.numbers->value([&](std::size_t path) { return ValueView(fields_[sum.fields[path]]).number(); });
      if (number) numbers.push_back(*number);
      return number.has_value();
    }
    const Item inputs = unpacked(sum.fields);
    const Result<std::optional<Value>> computed = sum.rule->value(change_.ambient.with({.fields = &inputs}));
    if (!computed) return false;
    const std::optional<Value>& value = *computed;
    numbers.push_back(value && value->is_number() ? value->number() : Number(0));
    return true;
  }

  PackedChange& change_;
  const CounterPlan& plan_;
  const ImageTime time_;
  const FieldBytes& fields_;  // of change_
};

PackedItem packed_counter_key(const CounterPlan& plan, const PackedContribution& contribution) {
  std::vector<MapView::Entry> attributes{{plan.hash_name, ValueView(contribution.hash)}};
  if (plan.range) attributes.emplace_back(plan.range_name, ValueView(contribution.range));
  std::ranges::sort(attributes, {}, &MapView::Entry::first);
  return assembled(attributes);
}

void append_unless_zero(const CounterPlan& plan, PackedContribution contribution,
                        std::vector<CounterAddition>& additions) {
  if (std::ranges::all_of(contribution.numbers, &Number::is_zero)) return;
  PackedItem key = packed_counter_key(plan, contribution);
  additions.push_back({.plan = &plan, .key = std::move(key), .numbers = std::move(contribution.numbers)});
}

// Subtracts what an item contributed to the counter that counts it still.
bool subtract(const PackedContribution& old_one, PackedContribution& new_one) {
  for (std::size_t i = 0; i < new_one.numbers.size(); ++i) {
    const Result<Number> difference = new_one.numbers[i] - old_one.numbers[i];
    if (!difference) return false;
    new_one.numbers[i] = *difference;
  }
  return true;
}

// ---- Changes

// Returns the item with what is added to its counters; nothing when the long way must decide.
std::optional<PackedItem> with_addition(const ItemView& item, const CounterAddition& addition) {
  const CounterPlan& plan = *addition.plan;
  std::vector<MapView::Entry> attributes;
  each_attribute(
      item, [&](std::string_view name, Bytes value) { attributes.emplace_back(name, ValueView(value)); });
  std::vector<std::string> sums(plan.counters.size());  // the bytes of the new values
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (addition.numbers[i].is_zero()) continue;
    const auto counter = std::ranges::find(attributes, plan.counters[i].name, &MapView::Entry::first);
    if (counter == attributes.end() || counter->second.type() != Type::Number) return std::nullopt;
    const Result<Number> sum = counter->second.number() + addition.numbers[i];
    if (!sum) return std::nullopt;
    sums[i].push_back(static_cast<char>(Type::Number));
    append_ordered_number(sums[i], *sum);
    counter->second = ValueView(sums[i]);
  }
  return assembled(attributes);
}

// Returns whether the item under the key of an entity is not marked as one of another.
bool may_be_of(const CounterPlan& plan, const ItemView& item) {
  const std::optional<ValueView> mark = plan.mark_name.empty() ? std::nullopt : item.find(plan.mark_name);
  return !mark || mark->bytes() == plan.packed_mark;
}

}  // namespace

bool compile_counters(const Design& design, CompiledEntity& plan) {
  return std::ranges::all_of(design.copies, [&](const Copy& copy) {
    if (copy.from.text != plan.entity->name || copy.kind != Copy::Kind::Counter) return true;
    std::optional<CounterPlan> counter = CounterCompiler(design, *plan.entity, copy).run();
    if (!counter) return false;
    plan.counters.push_back(*std::move(counter));
    return true;
  });
}

bool append_additions(PackedChange& change, const CounterPlan& plan,
                      std::vector<CounterAddition>& additions) {
  const auto is_changed = [&](std::size_t field) { return change.is_changed(field); };
  if (!change.is_new && std::ranges::none_of(plan.fields, is_changed)) return true;
  PackedContribution old_one;
  PackedContribution new_one;
  if (!change.is_new && !ContributionRule(change, plan, ImageTime::Before).find(old_one)) return false;
  if (!ContributionRule(change, plan, ImageTime::After).find(new_one)) return false;
  const bool stays =
      old_one.is_there && new_one.is_there && old_one.hash == new_one.hash && old_one.range == new_one.range;
  if (stays && !subtract(old_one, new_one)) return false;
  if (old_one.is_there && !stays) {
    for (Number& number : old_one.numbers) number = -number;
    append_unless_zero(plan, std::move(old_one), additions);
  }
  if (new_one.is_there) append_unless_zero(plan, std::move(new_one), additions);
  return true;
}

void append_counter_key(PackedChange& change, const CounterPlan& plan, std::vector<PackedItem>& keys) {
  PackedContribution contribution;
  const bool is_known = ContributionRule(change, plan, ImageTime::After).find_key(contribution);
  if (is_known && contribution.is_there) keys.push_back(packed_counter_key(plan, contribution));
}

Counting add_to_counters(std::span<const CounterAddition> additions, const PackedLookup& lookup,
                         std::vector<RuledWrites::Change>& changes) {
  std::vector<std::optional<ItemView>> stored;
  stored.reserve(additions.size());
  bool is_waiting = false;
  for (const CounterAddition& one : additions) {
    const std::optional<std::optional<ItemView>> found = lookup.find_packed(one.key);
    is_waiting = is_waiting || !found;
    stored.push_back(found.value_or(std::nullopt));
  }
  if (is_waiting) return Counting::Waiting;
  const std::size_t first = changes.size();
  for (std::size_t i = 0; i < additions.size(); ++i) {
    const CounterAddition& one = additions[i];
    const std::optional<ItemView>& before = stored[i];
    if (!before || !may_be_of(*one.plan, *before)) return Counting::Undecided;
    const auto own = changes.begin() + static_cast<std::ptrdiff_t>(first);
    const auto known =
        std::find_if(own, changes.end(), [&](const auto& change) { return change.key == one.key; });
    const ItemView now = known == changes.end() ? *before : view_of(known->after).value_or(*before);
    std::optional<PackedItem> after = with_addition(now, one);
    if (!after) return Counting::Undecided;
    if (known != changes.end()) {
      known->after = std::move(after);
    } else {
      changes.push_back({.write = {}, .cause = one.cause, .key = one.key, .after = std::move(after)});
    }
  }
  // An addition that another one takes away again changes nothing.
  const auto is_as_stored = [&](const RuledWrites::Change& change) {
    return !change.key.empty() &&
           view_of(change.after) == lookup.find_packed(change.key).value_or(std::nullopt);
  };
  if (additions.size() > 1) std::erase_if(changes, is_as_stored);
  return Counting::Done;
}

}  // namespace tavola::design
