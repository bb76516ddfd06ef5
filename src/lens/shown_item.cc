#include "lens/shown_item.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "design/items/masked.h"
#include "design/items/references.h"
#include "design/model/placeholder_text.h"
#include "design/model/plain_json.h"
#include "design/model/secrets.h"

namespace tavola::lens {
namespace {

using design::Attribute;
using design::Decoded;
using design::Design;
using design::Entity;
using design::KeySource;
using design::Placeholder;
using design::Template;

const Template* template_of(const Entity& entity, const KeySource& source, const Item& fields) {
  if (source.from) return &*source.from;
  const design::Lifecycle* const lifecycle = entity.find_lifecycle(source.lifecycle);
  const auto named = lifecycle == nullptr ? fields.end() : fields.find(lifecycle->field());
  if (named == fields.end() || !named->second.is_string()) return nullptr;
  const design::State* const state = lifecycle->find_state(named->second.string());
  return state == nullptr || !state->key ? nullptr : &*state->key;
}

void write_reference(json::Writer& json, const Design& design, const FilledTemplate& filled,
                     const Attribute& field) {
  const auto value = filled.fields.find(field.name);
  if (field.ref.empty() || value == filled.fields.end()) return;
  const auto key = design::referenced_key(design, filled.entity, field, value->second, filled.fields);
  if (!key) return;
  json.name("ref").begin_object();
  json.name("entity").text(field.ref);
  json.name("key").raw() += to_json(*key);
  json.end_object();
}

// Replaces sensitive attributes, and lists their names.
Item without_secrets(const Entity& entity, Item item, std::vector<std::string>& masked) {
  for (auto& [name, value] : item) {
    const Attribute* const field = entity.find_field(name);
    if (field == nullptr || !design::holds_secret(*field)) continue;
    value = design::masked(*field, value);
    masked.push_back(name);
  }
  return item;
}

// Replaces what any entity marks as sensitive: an item of no entity may have been meant to be one of each.
Item without_any_secrets(const Design& design, Item item, std::vector<std::string>& masked) {
  const Item key = key_of_item(design, item);
  for (const Entity& entity : design.entities) {
    for (const Attribute& field : entity.fields) {
      const auto found = item.find(field.name);
      if (found == item.end() || key.contains(field.name) || !design::holds_secret(field)) continue;
      found->second = design::masked(field, found->second);
      if (std::ranges::find(masked, field.name) == masked.end()) masked.push_back(field.name);
    }
  }
  return item;
}

void write_names(json::Writer& json, std::string_view member, const std::vector<std::string>& names) {
  json.name(member).begin_list();
  for (const std::string& name : names) json.text(name);
  json.end_list();
}

}  // namespace

Item key_of_item(const Design& design, const Item& item) {
  Item key;
  for (const design::KeyAttribute* one :
       {&design.table.hash, design.table.range ? &*design.table.range : nullptr}) {
    const auto found = one == nullptr ? item.end() : item.find(one->name);
    if (found != item.end()) key.insert(*found);
  }
  return key;
}

void write_key_parts(json::Writer& json, const Design& design, const FilledTemplate& filled) {
  const design::FieldForms forms = filled.entity.forms();
  json.begin_list();
  for (const Template::Part& part : filled.key.parts()) {
    if (const auto* const literal = std::get_if<std::string>(&part)) {
      json.begin_object();
      json.name("text").text(*literal);
      json.end_object();
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(part);
    const auto value = filled.fields.find(placeholder.field);
    if (value == filled.fields.end()) break;
    const Result<std::string> text =
        design::write_placeholder(placeholder, forms(placeholder.field), value->second);
    if (!text) break;
    json.begin_object();
    json.name("text").text(*text);
    json.name("field").text(placeholder.field);
    if (const Attribute* const field = filled.entity.find_field(placeholder.field))
      write_reference(json, design, filled, *field);
    json.end_object();
  }
  json.end_list();
}

const Template* hash_template(const Entity& entity, std::string_view index, const Item& fields) {
  if (index.empty()) return &entity.hash;
  const design::IndexEntry* const entry = entity.find_index(index);
  return entry == nullptr ? nullptr : template_of(entity, entry->hash, fields);
}

const Template* range_template(const Entity& entity, std::string_view index, const Item& fields) {
  if (index.empty()) return entity.range ? &*entity.range : nullptr;
  const design::IndexEntry* const entry = entity.find_index(index);
  return entry == nullptr || !entry->range ? nullptr : template_of(entity, *entry->range, fields);
}

void write_item_members(json::Writer& json, const Subject& subject, const Decoded& decoded, const Item& item,
                        std::string_view index) {
  const Design& design = subject.design;
  std::vector<std::string> masked;
  const bool masks = subject.sensitive == Sensitive::Masked;
  if (decoded.entity == nullptr) {
    json.name("why").text(decoded.why_none);
    json.name("key").raw() += to_json(key_of_item(design, item));
    json.name("item").raw() += to_json(masks ? without_any_secrets(design, item, masked) : item);
    write_names(json, "masked", masked);
    return;
  }
  const Entity& entity = *decoded.entity;
  json.name("entity").text(entity.name);
  json.name("key").raw() += to_json(key_of_item(design, item));
  json.name("item").raw() += to_json(masks ? without_secrets(entity, item, masked) : item);
  write_names(json, "masked", masked);
  json.name("parts").begin_object();
  const auto add = [&](const design::KeyAttribute* attribute, const Template* key) {
    if (attribute == nullptr || key == nullptr) return;
    json.name(attribute->name);
    write_key_parts(json, design, {entity, *key, decoded.fields});
  };
  add(&design.table.hash, &entity.hash);
  add(design.table.range ? &*design.table.range : nullptr, range_template(entity, {}, decoded.fields));
  const Item table_key = key_of_item(design, item);
  const auto add_of_index = [&](const design::KeyAttribute& attribute, const Template* key) {
    if (!table_key.contains(attribute.name)) add(&attribute, key);  // a local index shares the partition key
  };
  if (const design::Index* const found = design.find_index(index)) {
    add_of_index(found->hash, hash_template(entity, index, decoded.fields));
    if (found->range) add_of_index(*found->range, range_template(entity, index, decoded.fields));
  }
  json.end_object();
}

void write_fields(json::Writer& json, const Subject& subject, const Entity& entity, const Item& fields) {
  std::vector<std::string> masked;
  const bool masks = subject.sensitive == Sensitive::Masked;
  json.name("fields");
  design::write_plain(json, Value(masks ? without_secrets(entity, fields, masked) : fields));
  write_names(json, "masked", masked);
}

}  // namespace tavola::lens
