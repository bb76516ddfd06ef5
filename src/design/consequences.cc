#include "design/consequences.h"

#include <map>

#include "base/overloaded.h"
#include "design/field_value.h"

namespace tavola::design {
namespace {

struct Target {
  Item key;
  Item item;
};
using Targets = std::map<std::string, Target, std::less<>>;  // by the packed key

Result<bool> applies(const Call& call, const Copy& copy, const Item& fields) {
  if (!copy.when) return true;
  return copy.when->holds({.fields = &fields, .now = call.moment.now});
}

Result<Item> evaluated(const Call& call, const std::vector<Assignment>& assignments, const Item& fields) {
  Item values;
  for (const Assignment& assignment : assignments) {
    TAVOLA_TRY(
        std::optional<Value> value,
        assignment.value.value({.fields = &fields, .now = call.moment.now, .random = call.moment.random}));
    if (value) values[assignment.field] = *std::move(value);
  }
  return values;
}

Result<void> add_target(const Call& call, const Copy& copy, const Item& source, Targets& targets) {
  const Entity& entity = *call.design->find_entity(copy.to.text);
  TAVOLA_TRY(Item fields, evaluated(call, copy.carry, source));
  TAVOLA_TRY(Item key_fields, evaluated(call, copy.key, source));
  fields.merge(key_fields);
  TAVOLA_TRY(fields, complete(entity, std::move(fields), Occasion::Creation, call.moment));
  Target target;
  TAVOLA_TRY(target.key, key_of(*call.design, entity, fields));
  TAVOLA_TRY(target.item, to_item(*call.design, entity, fields));
  TAVOLA_TRY(const PackedItem packed, pack(target.key));
  targets.insert_or_assign(packed.bytes(), std::move(target));
  return {};
}

// The items a mirror or a fanout has for an entity.
Result<Targets> targets_of(const Call& call, const Copy& copy, const Item* fields) {
  Targets targets;
  if (fields == nullptr) return targets;
  TAVOLA_TRY(const bool there, applies(call, copy, *fields));
  if (!there) return targets;
  if (copy.kind == Copy::Kind::Mirror) {
    TAVOLA_CHECK(add_target(call, copy, *fields, targets));
    return targets;
  }
  const auto list = fields->find(copy.each);
  if (list == fields->end()) return targets;
  std::vector<Value> elements;
  std::visit(
      Overloaded{[&](const List& values) { elements = values; },
                 [&](const StringSet& set) { elements.assign(set.begin(), set.end()); },
                 [&](const NumberSet& set) { elements.assign(set.begin(), set.end()); }, [](const auto&) {}},
      list->second.variant());
  for (const Value& element : elements) {
    Item with_element = *fields;
    with_element[copy.element] = element;
    TAVOLA_CHECK(add_target(call, copy, with_element, targets));
  }
  return targets;
}

Result<void> copy_items(const Call& call, const Copy& copy, const Item* before, const Item* after,
                        PendingWrites& writes) {
  TAVOLA_TRY(const Targets old_targets, targets_of(call, copy, before));
  TAVOLA_TRY(const Targets new_targets, targets_of(call, copy, after));
  for (const auto& [key, target] : old_targets) {
    if (!new_targets.contains(key)) writes.delete_copy(target.key);
  }
  for (const auto& [key, target] : new_targets) {
    const auto old_target = old_targets.find(key);
    if (old_target == old_targets.end() || old_target->second.item != target.item) {
      writes.put_copy(target.key, target.item);
    }
  }
  return {};
}

// What an entity adds to a counter: how much, to which attributes of which item.
struct Contribution {
  Item key;
  std::map<std::string, Number, std::less<>> numbers;
};

Result<std::optional<Contribution>> contribution(const Call& call, const Copy& copy, const Item* fields) {
  if (fields == nullptr) return std::optional<Contribution>();
  TAVOLA_TRY(const bool there, applies(call, copy, *fields));
  if (!there) return std::optional<Contribution>();
  Contribution one;
  TAVOLA_TRY(const Item key_fields, evaluated(call, copy.key, *fields));
  TAVOLA_TRY(one.key, key_of(*call.design, *call.design->find_entity(copy.to.text), key_fields));
  if (!copy.count.empty()) one.numbers[copy.count] = Number(1);
  TAVOLA_TRY(const Item sums, evaluated(call, copy.sum, *fields));
  for (const auto& [field, value] : sums) {
    if (value.is_number()) one.numbers[field] = value.number();
  }
  return std::optional<Contribution>(std::move(one));
}

Result<void> add_contribution(const Copy& copy, const Contribution& one, Cause::Kind if_gone, bool negative,
                              PendingWrites& writes) {
  for (const auto& [field, number] : one.numbers) {
    if (number.is_zero()) continue;
    TAVOLA_CHECK(writes.add_number(one.key, field, negative ? -number : number,
                                   {.kind = if_gone,
                                    .name = if_gone == Cause::Kind::Gone ? copy.name : "NOT_FOUND",
                                    .reason = "there is no " + copy.to.text + " " + to_json(one.key),
                                    .condition = {}}));
  }
  return {};
}

Result<void> count(const Call& call, const Copy& copy, const Item* before, const Item* after,
                   PendingWrites& writes) {
  if (call.without.contains(copy.name)) return {};
  TAVOLA_TRY(std::optional<Contribution> old_one, contribution(call, copy, before));
  TAVOLA_TRY(std::optional<Contribution> new_one, contribution(call, copy, after));
  if (old_one && new_one && old_one->key == new_one->key) {
    for (const auto& [field, number] : old_one->numbers) {
      TAVOLA_TRY(new_one->numbers[field], new_one->numbers[field] - number);
    }
    old_one.reset();
  }
  // What is gone need not be counted down; what is new may not count for nothing.
  if (old_one) TAVOLA_CHECK(add_contribution(copy, *old_one, Cause::Kind::Gone, true, writes));
  if (new_one) TAVOLA_CHECK(add_contribution(copy, *new_one, Cause::Kind::Refusal, false, writes));
  return {};
}

std::string text_of(const Value& value) {
  return value.is_string() ? value.string() : value.is_number() ? value.number().to_string() : to_json(value);
}

// "Product.sku#s1#SKU-001"; nothing when a part is missing: what is not there is not unique.
std::optional<std::string> guard_name(const Entity& entity, const Attribute& field, const Item* fields) {
  if (fields == nullptr) return std::nullopt;
  std::string name = entity.name + "." + field.name;
  std::vector<std::string> parts = field.unique->within;
  parts.push_back(field.name);
  for (const std::string& part : parts) {
    const auto found = fields->find(part);
    if (found == fields->end()) return std::nullopt;
    name += "#" + text_of(found->second);
  }
  return name;
}

Result<void> guard_unique(const Call& call, const Entity& entity, const Attribute& field, const Item* before,
                          const Item* after, PendingWrites& writes) {
  const Table& table = call.design->table;
  const std::optional<std::string> old_name = guard_name(entity, field, before);
  const std::optional<std::string> new_name = guard_name(entity, field, after);
  if (old_name == new_name) return {};
  if (old_name) writes.delete_copy(record_key(table, "$unique", *old_name));
  if (!new_name) return {};
  const Item key = record_key(table, "$unique", *new_name);
  TAVOLA_TRY(PendingWrite* const write, writes.on(PendingWrite::Kind::Put, key));
  write->item = key;
  TAVOLA_TRY(const Item holder, key_of(*call.design, entity, *after));
  write->item["of"] = Value(Map(holder));
  write->causes.push_back({.kind = Cause::Kind::Refusal,
                           .name = field.unique->otherwise,
                           .reason = "another " + entity.name + " has the " + field.name + " " +
                                     text_of(after->find(field.name)->second),
                           .condition = absent_condition(table, write->parts)});
  return {};
}

}  // namespace

Item record_key(const Table& table, std::string_view kind, const std::string& name) {
  Item key{{table.hash.name, std::string(kind) + "#" + name}};
  if (table.range) key[table.range->name] = kind;
  return key;
}

Result<void> add_consequences(const Call& call, const Entity& entity, const Item* before, const Item* after,
                              PendingWrites& writes) {
  for (const Copy& copy : call.design->copies) {
    if (copy.from.text != entity.name || copy.mode != Copy::Mode::Transaction) continue;
    if (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout) {
      TAVOLA_CHECK(copy_items(call, copy, before, after, writes));
    } else if (copy.kind == Copy::Kind::Counter) {
      TAVOLA_CHECK(count(call, copy, before, after, writes));
    }
  }
  for (const Attribute& field : entity.fields) {
    if (field.unique) TAVOLA_CHECK(guard_unique(call, entity, field, before, after, writes));
  }
  return {};
}

}  // namespace tavola::design
