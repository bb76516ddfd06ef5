// Recognizes the entity of an item by reading its key backwards.
#include <algorithm>

#include "base/joined.h"
#include "design/items/entity_item.h"
#include "design/items/entity_mark.h"
#include "design/model/plain_json.h"
#include "design/model/timestamps.h"

namespace tavola::design {
namespace {

const Value* find(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

// Adds the fields that are missing. Returns false if a field already has another value.
bool add_all(Item& fields, Item more) {
  fields.merge(more);
  return std::ranges::all_of(more, [&](const auto& field) { return fields.at(field.first) == field.second; });
}

// Returns the fields in the key; nullopt if the key is not one of this entity's.
std::optional<Item> read_key(const Design& design, const Entity& entity, const Item& item) {
  const FieldForms forms = entity.forms();
  auto fields = entity.hash.read(item.at(design.table.hash.name), forms);
  if (!fields || !entity.range || !design.table.range) return fields;
  auto more = entity.range->read(item.at(design.table.range->name), forms);
  if (!more || !add_all(*fields, *std::move(more))) return std::nullopt;
  return fields;
}

// "PK=X#1, SK=Y"
std::string key_text(const Design& design, const Item& item) {
  std::string text;
  const auto add = [&](const KeyAttribute& attribute) {
    const Value& value = item.at(attribute.name);
    text += (text.empty() ? "" : ", ") + attribute.name + "=" +
            (value.is_string() ? value.string() : to_plain_json(value));
  };
  add(design.table.hash);
  if (design.table.range) add(*design.table.range);
  return text;
}

bool is_key_attribute(const Design& design, std::string_view name) {
  const auto is_key_of = [&](const auto& keyed) {
    return keyed.hash.name == name || (keyed.range && keyed.range->name == name);
  };
  return is_key_of(design.table) || std::ranges::any_of(design.indexes, is_key_of);
}

bool shows_day(const Template& key) {
  return std::ranges::any_of(key.parts(), [](const Template::Part& part) {
    const auto* const placeholder = std::get_if<Placeholder>(&part);
    return placeholder != nullptr && placeholder->format == Placeholder::Format::Date;
  });
}

// Returns why a key that shows only the day of a field does not belong to the fields; without the field it may.
std::optional<std::string> why_not_their_key(const Entity& entity, const Template& key, const Item& fields,
                                             const Value& found) {
  if (!shows_day(key)) return std::nullopt;
  const auto made = key.render(fields, entity.forms(), Type::String);
  if (!made) return made.error().message();
  if (!*made || **made == found) return std::nullopt;
  return "the key is " + to_plain_json(found) + ", but the fields say " + to_plain_json(**made);
}

// Adds the fields in an index key: those that are not projected, and the state if the key holds it. Skips a key that
// does not match: the item's own key decides what the item is.
void add_from_index_key(Item& fields, const Entity& entity, const KeySource& source, const Value* key) {
  if (key == nullptr) return;
  const FieldForms forms = entity.forms();
  if (source.from) {
    if (auto more = source.from->read(*key, forms)) fields.merge(*more);
    return;
  }
  const Lifecycle* const lifecycle = entity.find_lifecycle(source.lifecycle);
  if (lifecycle == nullptr) return;
  for (const State& state : lifecycle->states) {
    auto more = state.key ? state.key->read(*key, forms) : std::nullopt;
    if (!more) continue;
    fields.insert_or_assign(lifecycle->name, state.name);
    fields.merge(*more);
    return;
  }
}

void add_from_index_keys(Item& fields, const Design& design, const Entity& entity, const Item& item) {
  for (const IndexEntry& entry : entity.indexes) {
    const Index* const index = design.find_index(entry.index);
    if (index == nullptr) continue;
    add_from_index_key(fields, entity, entry.hash, find(item, index->hash.name));
    if (entry.range && index->range) {
      add_from_index_key(fields, entity, *entry.range, find(item, index->range->name));
    }
  }
}

// Returns whether an attribute of the item is a field: every declared one is, and every other one except keys and
// the entity attribute.
bool is_field(const Design& design, const Entity& entity, std::string_view name) {
  if (entity.find_field(name) != nullptr) return true;
  return !is_key_attribute(design, name) && name != design.table.entity_attribute;
}

Decoded none(std::string why) { return {nullptr, {}, std::move(why)}; }

Decoded decode_as(const Design& design, const Entity& entity, Item fields, const Item& item) {
  for (const auto& [name, stored] : item) {
    if (!is_field(design, entity, name)) continue;
    const Attribute* const field = entity.find_field(name);
    const Value value =
        field != nullptr && field->type.is_timestamp() ? normal_time(field->type, stored) : stored;
    const auto [known, added] = fields.try_emplace(name, value);
    if (!added && known->second != value) {
      return none(name + " is " + to_plain_json(value) + ", but " + key_text(design, item) + " says " +
                  to_plain_json(known->second));
    }
  }
  const Table& table = design.table;
  if (auto why = why_not_their_key(entity, entity.hash, fields, item.at(table.hash.name)))
    return none(*std::move(why));
  if (entity.range && table.range) {
    if (auto why = why_not_their_key(entity, *entity.range, fields, item.at(table.range->name)))
      return none(*std::move(why));
  }
  add_from_index_keys(fields, design, entity, item);
  return {&entity, std::move(fields), ""};
}

struct Candidate {
  const Entity* entity;
  Item fields;
};

std::vector<Candidate> candidates_for(const Design& design, const Item& item) {
  std::vector<Candidate> candidates;
  for (const Entity& entity : design.entities) {
    if (auto fields = read_key(design, entity, item)) candidates.push_back({&entity, *std::move(fields)});
  }
  return candidates;
}

std::string names_of(const std::vector<Candidate>& candidates) {
  return joined(candidates, [](const Candidate& candidate) { return candidate.entity->name; });
}

}  // namespace

Decoded decode(const Design& design, const Item& item) {
  for (const KeyAttribute* key : {&design.table.hash, design.table.range ? &*design.table.range : nullptr}) {
    if (key != nullptr && !item.contains(key->name)) return none("the item has no " + key->name);
  }
  std::vector<Candidate> candidates = candidates_for(design, item);
  if (candidates.empty()) return none("no entity has a key like " + key_text(design, item));

  if (const Value* const mark = find(item, design.table.entity_attribute)) {
    const std::string fitting = names_of(candidates);
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return *mark != Value(entity_mark(design, *candidate.entity));
    });
    if (candidates.empty()) {
      return none(design.table.entity_attribute + " is " + to_plain_json(*mark) + ", but " +
                  key_text(design, item) + " is a key of " + fitting);
    }
  }
  if (candidates.size() > 1) {
    return none(key_text(design, item) + " could be a key of " + names_of(candidates));
  }
  return decode_as(design, *candidates.front().entity, std::move(candidates.front().fields), item);
}

bool is_softly_deleted(const Design& design, const Entity& entity, const Item& item) {
  const Retention* const retention = design.find_retention(entity.name);
  return retention != nullptr && retention->kind == Retention::Kind::SoftDelete &&
         item.contains(retention->attribute);
}

}  // namespace tavola::design
