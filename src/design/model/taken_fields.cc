#include "design/model/taken_fields.h"

#include <set>
#include <string>
#include <string_view>

namespace tavola::design {
namespace {

using NameViews = std::set<std::string_view>;

void add_fields(const std::vector<Assignment>& assignments, NameViews& names) {
  for (const Assignment& one : assignments) names.insert(one.field);
}

// Returns the fields with states, and those that copies write into the entity.
NameViews written_by_design(const Design& design, const Entity& entity) {
  NameViews names;
  for (const Lifecycle& lifecycle : entity.lifecycles) names.insert(lifecycle.attribute);
  for (const Copy& copy : design.copies) {
    if (copy.to.text != entity.name) continue;
    if (copy.kind == Copy::Kind::Snapshot) add_fields(copy.carry, names);
    if (copy.kind != Copy::Kind::Counter) continue;
    names.insert(copy.count);
    add_fields(copy.sum, names);
  }
  return names;
}

// Returns the fields that transitions and soft deletion set later.
NameViews set_later(const Design& design, const Entity& entity) {
  NameViews names;
  const Retention* retention = design.find_retention(entity.name);
  if (retention != nullptr && retention->kind == Retention::Kind::SoftDelete)
    names.insert(retention->attribute);
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    for (const Transition& transition : lifecycle.transitions) add_fields(transition.set, names);
  }
  return names;
}

TakenFields find_taken(const Design& design, const Entity& entity) {
  const NameViews by_design = written_by_design(design, entity);
  const NameViews later = set_later(design, entity);
  const std::vector<std::string> key_fields = entity.key_fields();
  const NameViews keys(key_fields.begin(), key_fields.end());
  TakenFields taken;
  for (const Attribute& field : entity.fields) {
    if (field.is_computed() || by_design.contains(field.name)) continue;
    if (!later.contains(field.name)) taken.by_put.push_back(&field);
    if (field.stored && !field.immutable && !keys.contains(field.name)) taken.by_all.push_back(&field);
  }
  return taken;
}

}  // namespace

const TakenFields& FieldsToTake::of(const Entity& entity) {
  const auto [found, is_new] = found_.try_emplace(&entity);
  if (is_new) found->second = find_taken(design_, entity);
  return found->second;
}

}  // namespace tavola::design
