#include "design/rules/related_items.h"

#include <algorithm>
#include <memory>

#include "design/items/entity_item.h"
#include "design/items/references.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "design/model/refusal.h"

namespace tavola::design {
namespace {

void reset_counter(EntityChange& change, const Copy& copy, const std::string& name, SentCounters& sent) {
  const Attribute* const field = change.entity.find_field(name);
  if (field == nullptr) return;
  const Value* const value = find_value(change.fields, name);
  if (value != nullptr && change.is_new() && change.ambient.may_import) return;
  if (value != nullptr && change.is_changed(name)) {
    sent.values[name] = *value;
    sent.message =
        change.refusal(*field, "is maintained by " + copy.name + " and cannot be written").message();
  }
  const Value* const old = change.old_value(name);
  change.fields[name] = old != nullptr ? *old : Value(Number(0));
}

// Returns nothing when the item does not name the entity to take values from; their absence is reported later.
Result<std::optional<PackedItem>> snapshot_key(const EntityChange& change, const Copy& copy) {
  const Entity& from = *change.design.find_entity(copy.from.text);
  Item key_fields;
  for (const Assignment& part : copy.key) {
    TAVOLA_TRY(const std::optional<Value> value,
               part.value.value(change.ambient.with({.fields = &change.fields})));
    if (value) key_fields[part.field] = *value;
  }
  for (const std::string& name : from.key_fields()) {
    const Value* const value = find_value(change.fields, name);
    if (!key_fields.contains(name) && value != nullptr) key_fields[name] = *value;
    if (!key_fields.contains(name)) return std::nullopt;
  }
  TAVOLA_TRY(const Item key, key_of(change.design, from, key_fields));
  return packed_key(key);
}

Result<void> take_from(EntityChange& change, const Copy& copy, const Item& source) {
  for (const Assignment& taken : copy.carry) {
    if (find_value(change.fields, taken.field) != nullptr) continue;
    TAVOLA_TRY(const std::optional<Value> value, taken.value.value(change.ambient.with({.fields = &source})));
    if (value) TAVOLA_CHECK(assign_computed(change.entity, taken, *value, change.fields));
  }
  return {};
}

}  // namespace

SentCounters reset_counters(EntityChange& change) {
  SentCounters sent;
  for (const Copy& copy : change.design.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != change.entity.name) continue;
    reset_counter(change, copy, copy.count, sent);
    for (const Assignment& sum : copy.sum) reset_counter(change, copy, sum.field, sent);
  }
  return sent;
}

Result<bool> take_snapshots(EntityChange& change, const TableLookup& lookup) {
  bool all_read = true;
  if (!change.is_new()) return all_read;
  for (const Copy& copy : change.design.copies) {
    if (copy.kind != Copy::Kind::Snapshot || copy.to.text != change.entity.name) continue;
    const bool has_all = std::ranges::all_of(copy.carry, [&](const Assignment& taken) {
      return find_value(change.fields, taken.field) != nullptr;
    });
    if (has_all) continue;
    TAVOLA_TRY(const std::optional<PackedItem> key, snapshot_key(change, copy));
    if (!key) continue;
    const std::optional<Item>* const source = lookup.find(*key);
    if (source == nullptr) {
      all_read = false;
    } else if (*source) {
      TAVOLA_CHECK(take_from(change, copy, decode(change.design, **source).fields));
    }
  }
  return all_read;
}

std::vector<Reference> references_of(const EntityChange& change) {
  std::vector<Reference> references;
  for (const Attribute& field : change.entity.fields) {
    const Value* const value = field.ref.empty() ? nullptr : find_value(change.fields, field.name);
    if (value == nullptr || !change.is_changed(field.name)) continue;
    const std::optional<Item> key =
        referenced_key(change.design, change.entity, field, *value, change.fields);
    if (!key) continue;
    const Error missing = change.refusal(missing_target(change.entity, field, *value), field.at);
    references.push_back(
        {packed_key(*key), with_detail(missing, std::make_shared<Violation>(kUnknownReference, field.name))});
  }
  return references;
}

}  // namespace tavola::design
