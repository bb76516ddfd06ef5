#include "design/model/vocabulary.h"

#include <algorithm>

#include "design/model/nearest.h"

namespace tavola::design {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool has_value(const Entity& entity, std::string_view field, std::string_view word) {
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    const std::string& held_by = lifecycle.attribute.empty() ? lifecycle.name : lifecycle.attribute;
    if (held_by == field && lifecycle.find_state(word) != nullptr) return true;
  }
  const Attribute* attribute = entity.find_field(field);
  if (attribute == nullptr) return false;
  return contains(attribute->values, word) || contains(attribute->suggest, word) ||
         (attribute->value && attribute->value->is_literal() && attribute->value->text() == word);
}

}  // namespace

bool has_field(const Entity& entity, std::string_view name) {
  if (entity.find_field(name) != nullptr) return true;
  const Lifecycle* lifecycle = entity.find_lifecycle(name);
  return lifecycle != nullptr && lifecycle->attribute.empty();
}

std::vector<std::string> field_names(const Entity& entity) {
  std::vector<std::string> names;
  names.reserve(entity.fields.size());
  for (const Attribute& field : entity.fields) names.push_back(field.name);
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    if (lifecycle.attribute.empty()) names.push_back(lifecycle.name);
  }
  return names;
}

const Entity* Vocabulary::find_other(std::string_view name) const {
  const auto found = std::ranges::find(others_, name, &std::pair<std::string, const Entity*>::first);
  return found == others_.end() ? nullptr : found->second;
}

bool Vocabulary::is_name(std::string_view word) const {
  const auto has_it = [word](const Entity* entity) { return has_field(*entity, word); };
  if (entity_ != nullptr && has_it(entity_) && std::ranges::all_of(also_, has_it)) return true;
  return std::ranges::find(others_, word, &std::pair<std::string, const Entity*>::first) != others_.end();
}

bool Vocabulary::is_value_of(std::string_view name, std::string_view word) const {
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    const Entity* other = find_other(name.substr(0, dot));
    if (other != nullptr) return has_value(*other, name.substr(dot + 1), word);
  }
  const auto has_it = [&](const Entity* entity) { return has_value(*entity, name, word); };
  return entity_ != nullptr && has_it(entity_) && std::ranges::all_of(also_, has_it);
}

bool Vocabulary::counts_seconds(std::string_view name) const {
  const std::size_t dot = name.find('.');
  const Entity* const entity = dot == std::string_view::npos ? entity_ : find_other(name.substr(0, dot));
  if (entity == nullptr) return false;
  const Attribute* const field =
      entity->find_field(dot == std::string_view::npos ? name : name.substr(dot + 1));
  return field != nullptr && field->type.kind == AttributeType::Kind::TimestampS;
}

std::string Vocabulary::nearest(std::string_view word) const {
  std::vector<std::string> names;
  if (entity_ != nullptr) names = field_names(*entity_);
  std::erase_if(names, [this](const std::string& name) { return !is_name(name); });
  for (const auto& [name, entity] : others_) names.push_back(name);
  return design::nearest(word, names);
}

const Entity& change_entity() {
  static const Entity change = [] {
    Entity entity;
    entity.name = kChangeName;
    for (const char* const name : {"key", "kind", "entity"}) entity.fields.emplace_back().name = name;
    entity.fields[1].values = {"create", "update", "delete"};
    return entity;
  }();
  return change;
}

Vocabulary names_in(const Design& design, const Consequence& consequence) {
  std::vector<const Entity*> changed;
  for (const Word& name : consequence.of) {
    if (const Entity* const entity = design.find_entity(name.text)) changed.push_back(entity);
  }
  Vocabulary names(changed.empty() ? nullptr : changed.front());
  for (const Entity* const entity : changed) names.restrict_to(entity);
  names.add(std::string(kBeforeName), names.entity());
  names.add(std::string(kAfterName), names.entity());
  names.add(std::string(kChangeName), &change_entity());
  for (const ReadFirst& read : consequence.reads) names.add(read.name, design.find_entity(read.entity.text));
  return names;
}

}  // namespace tavola::design
