#include "design/revisions/convert.h"

#include <algorithm>

#include "design/items/dependent_writes.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "design/model/vocabulary.h"

namespace tavola::design {
namespace {

const Value* find(const Item& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

bool is_same(const Value* one, const Value* other) {
  return one == nullptr || other == nullptr ? one == other : *one == *other;
}

void assign(Item& fields, const std::string& name, const Value* value) {
  if (value == nullptr) {
    fields.erase(name);
  } else {
    fields.insert_or_assign(name, *value);
  }
}

FieldNames names_of(const Item& fields) {
  FieldNames names;
  for (const auto& [name, value] : fields) names.insert(name);
  return names;
}

FieldNames names_of(const Item& one, const Item& other) {
  FieldNames names = names_of(one);
  names.merge(names_of(other));
  return names;
}

std::string text_of(const Value* value) { return value == nullptr ? "missing" : to_plain_json(*value); }

}  // namespace

const std::string& Conversion::EntityChanges::newer_name(const std::string& older_name) const {
  const auto found = renamed.find(older_name);
  return found == renamed.end() ? older_name : found->second;
}

const std::string& Conversion::EntityChanges::older_name(const std::string& newer_name) const {
  const auto found = std::ranges::find(renamed, newer_name, [](const auto& pair) { return pair.second; });
  return found == renamed.end() ? newer_name : found->first;
}

bool Conversion::EntityChanges::is_only_newer(const std::string& newer_name) const {
  return has_field(*newer, newer_name) && !has_field(*older, older_name(newer_name));
}

Result<Conversion::Side> Conversion::read(Way way, const Item& item) const {
  Decoded decoded = decode(source(way), item);
  if (decoded.entity == nullptr) return fail(Error::validation(decoded.why_none));
  const auto found = entities_.find(decoded.entity->name);
  if (found == entities_.end()) return Side{};
  return Side{.changes = &found->second, .fields = std::move(decoded.fields)};
}

// Returns the fields of the other revision as far as this one determines them.
Result<Item> Conversion::translate(Way way, const Side& side, const Ambient& ambient) {
  if (way == Way::Back) return translate_back(side, ambient);
  const EntityChanges& changes = *side.changes;
  const expr::RuleInputs inputs{.fields = &side.fields, .now = ambient.now};
  Item fields;
  for (const auto& [name, value] : side.fields) {
    if (changes.dropped.contains(name)) continue;
    const std::string& newer = changes.newer_name(name);
    const Attribute* const field = changes.newer->find_field(newer);
    if (changes.retyped.contains(newer) && field != nullptr) {
      if (const auto why = why_not_named(*field, value)) {
        if (changes.recomputed.contains(newer)) continue;
        return fail(Error::validation(changes.newer->name + ": " + *why));
      }
    }
    // A state of a dropped lifecycle is not a field any more.
    if (has_field(*changes.older, name) && !has_field(*changes.newer, newer)) continue;
    fields.emplace(newer, value);
  }
  for (const EntityChanges::Set& set : changes.sets) {
    bool holds = true;
    if (set.when) {
      TAVOLA_TRY(holds, set.when->holds(inputs));
    }
    if (holds) fields.insert_or_assign(set.field, set.value);
  }
  return fields;
}

Result<Item> Conversion::translate_back(const Side& side, const Ambient& ambient) {
  const EntityChanges& changes = *side.changes;
  Item fields;
  for (const auto& [name, value] : side.fields) {
    if (changes.is_only_newer(name)) continue;
    const std::string& older = changes.older_name(name);
    const Attribute* const field = changes.older->find_field(older);
    if (changes.retyped.contains(name) && field != nullptr && why_not(*field, value)) continue;
    fields.emplace(older, value);
  }
  for (const EntityChanges::Replacement& replaced : changes.replaced) {
    const expr::RuleInputs inputs{.fields = &side.fields, .now = ambient.now};
    TAVOLA_TRY(const bool holds, replaced.says.holds(inputs));
    fields.insert_or_assign(replaced.field, holds);
  }
  return fields;
}

// Times that the other revision wrote stay.
Result<Item> Conversion::finish(Way way, const EntityChanges& changes, Draft draft,
                                const Ambient& ambient) const {
  const Entity& entity = target_entity(changes, way);
  Result<Item> whole =
      complete(entity, std::move(draft.fields), draft.occasion, ambient, names_of(draft.known));
  if (!whole) {
    return fail(Error::validation(entity.name + " of revision " + target(way).revision + ": " +
                                  whole.error().message()));
  }
  return to_item(target(way), entity, *whole);
}

// Converts guards and records of done operations: only the names of the keys change. A guard names the item it
// belongs to.
Item Conversion::convert_record(Way way, const Item& record) const {
  const Table& from = source(way).table;
  const Table& to = target(way).table;
  const auto renamed = [&](const Item& keys) {
    Item result;
    for (const auto& [name, value] : keys) {
      const bool is_range = from.range && to.range && name == from.range->name;
      result.emplace(name == from.hash.name ? to.hash.name : is_range ? to.range->name : name, value);
    }
    return result;
  };
  Item result = renamed(record);
  const auto owner = result.find("of");
  if (owner != result.end() && owner->second.type() == Type::Map)
    owner->second = Value(Map(renamed(owner->second.map())));
  return result;
}

Result<std::optional<Item>> Conversion::counterpart_key(Way way, const Item& item) const {
  const Table& from = source(way).table;
  Item key;
  for (const KeyAttribute* part : {&from.hash, from.range ? &*from.range : nullptr}) {
    if (part == nullptr) continue;
    const Value* const value = find(item, part->name);
    if (value != nullptr) key.emplace(part->name, *value);
  }
  if (is_record(from, key)) return std::optional(convert_record(way, key));
  // The mark may identify the entity, too; it adds nothing else to the key.
  if (const Value* const mark = find(item, from.entity_attribute)) key.emplace(from.entity_attribute, *mark);
  TAVOLA_TRY(const Side side, read(way, key));
  if (side.changes == nullptr) return std::optional<Item>();
  Item fields;
  for (const auto& [name, value] : side.fields) {
    fields.emplace(way == Way::Forward ? side.changes->newer_name(name) : side.changes->older_name(name),
                   value);
  }
  TAVOLA_TRY(Item result, key_of(target(way), target_entity(*side.changes, way), fields));
  return std::optional(std::move(result));
}

Result<std::optional<Item>> Conversion::convert(Way way, const Item& item, const Ambient& ambient) const {
  if (is_record(source(way).table, item)) return std::optional(convert_record(way, item));
  TAVOLA_TRY(const Side side, read(way, item));
  if (side.changes == nullptr) return std::optional<Item>();
  TAVOLA_TRY(const Item fields, translate(way, side, ambient));
  TAVOLA_TRY(Item result, finish(way, *side.changes, {fields, Occasion::Creation, fields}, ambient));
  return std::optional(std::move(result));
}

Result<std::optional<Item>> Conversion::follow(Way way, const ItemChange& change,
                                               const Ambient& ambient) const {
  if (!change.after) return std::optional<Item>();
  const Table& from = source(way).table;
  if (!change.counterpart || is_record(from, *change.after)) return convert(way, *change.after, ambient);
  TAVOLA_TRY(const Side after, read(way, *change.after));
  if (after.changes == nullptr) return std::optional<Item>();
  const EntityChanges& changes = *after.changes;
  TAVOLA_TRY(const Item now, translate(way, after, ambient));
  Item was;
  if (change.before) {
    TAVOLA_TRY(const Side before, read(way, *change.before));
    if (before.changes == &changes) {
      TAVOLA_TRY(was, translate(way, before, ambient));
    }
  }
  Decoded counterpart = decode(target(way), *change.counterpart);
  if (counterpart.entity != &target_entity(changes, way)) return convert(way, *change.after, ambient);
  // Takes over only the changed fields first; if the two then disagree, all fields of this revision.
  Item fields = counterpart.fields;
  for (const std::string& name : names_of(was, now)) {
    if (!is_same(find(was, name), find(now, name))) assign(fields, name, find(now, name));
  }
  TAVOLA_TRY(Item followed, finish(way, changes, {fields, Occasion::Change, now}, ambient));
  if (agree(way, *change.after, followed)) return std::optional(std::move(followed));
  for (const std::string& name : names_of(was, now)) assign(fields, name, find(now, name));
  TAVOLA_TRY(followed, finish(way, changes, {fields, Occasion::Change, now}, ambient));
  if (agree(way, *change.after, followed)) return std::optional(std::move(followed));
  return fail(Error::validation("revision " + target(way).revision + " has no " + changes.newer->name +
                                " with the same values"));
}

bool Conversion::agree(Way way, const Item& item, const Item& counterpart) const {
  return !(way == Way::Forward ? why_apart(item, counterpart) : why_apart(counterpart, item));
}

std::optional<std::string> Conversion::why_apart(const Item& older, const Item& newer) const {
  const Ambient ambient{};
  if (is_record(older_->table, older)) {
    if (convert_record(Way::Forward, older) == newer) return std::nullopt;
    return "an internal record differs";
  }
  const Result<Side> from = read(Way::Forward, older);
  if (!from) return from.error().message();
  const Result<Side> to = read(Way::Back, newer);
  if (!to) return to.error().message();
  if (from->changes == nullptr || from->changes != to->changes) return "it is another entity";
  const EntityChanges& changes = *from->changes;
  const Result<Item> translated = translate(Way::Forward, *from, ambient);
  if (!translated) return translated.error().message();
  for (const std::string& name : names_of(*translated, to->fields)) {
    const bool is_set =
        std::ranges::find(changes.sets, name, &EntityChanges::Set::field) != changes.sets.end();
    const Attribute* const field = changes.newer->find_field(name);
    const bool is_own = (changes.is_only_newer(name) && !is_set) || changes.retyped.contains(name) ||
                        (field != nullptr && field->is_computed());
    const Value* const expected = find(*translated, name);
    const Value* const found = find(to->fields, name);
    // The default of a new item in place of a missing value is correct, too.
    const bool is_default = expected == nullptr && found != nullptr && field != nullptr && field->otherwise &&
                            *field->otherwise == *found;
    if (is_own || is_default || is_same(expected, found)) continue;
    return name + " is " + text_of(found) + ", but revision " + older_->revision + " says " +
           text_of(expected);
  }
  const Result<Item> whole = to_item(*newer_, *changes.newer, to->fields);
  if (!whole) return whole.error().message();
  for (const std::string& name : names_of(*whole, newer)) {
    if (is_same(find(*whole, name), find(newer, name))) continue;
    return name + " is " + text_of(find(newer, name)) + ", but should be " + text_of(find(*whole, name));
  }
  return std::nullopt;
}

}  // namespace tavola::design
