#include "drift/drift_design.h"

#include <algorithm>

#include "design/items/entity_item.h"

namespace tavola::drift {
namespace {

using design::Assignment;
using design::Attribute;
using design::Copy;
using design::DependentWrite;
using design::Design;
using design::Entity;
using design::Rule;

bool changes_by_itself(const std::optional<Rule>& rule) { return rule && rule->changes_by_itself(); }

bool makes_items(const Copy& copy) {
  return copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout;
}

// Returns the field if the expression is a single field.
const std::string* only_field(const Rule& rule) {
  const bool is_field = rule.paths().size() == 1 && rule.paths().front().size() == 1 &&
                        rule.text() == rule.paths().front().front();
  return is_field ? &rule.paths().front().front() : nullptr;
}

}  // namespace

DriftDesign::DriftDesign(const Design& design) : said_(design), computed_(design) {
  for (Entity& entity : computed_.entities) compute_again(entity);
  for (Copy& copy : computed_.copies) {
    if (copy.mode == Copy::Mode::Async) copy.mode = Copy::Mode::Transaction;
  }
  leave_out_untimely_copies();
  find_unreported();
  counting_ = computed_;
  std::erase_if(counting_.copies, makes_items);
  for (Entity& entity : counting_.entities) {
    for (Attribute& field : entity.fields) field.unique.reset();
  }
  copying_ = computed_;
  std::erase_if(copying_.copies, [](const Copy& copy) { return !makes_items(copy); });
}

void DriftDesign::compute_again(Entity& entity) {
  for (Attribute& field : entity.fields) {
    if (changes_by_itself(field.derive)) {
      notes_.push_back(entity.name + "." + field.name +
                       " depends on time or randomness and was not computed again");
      field.derive.reset();
    }
    field.automatic = Attribute::Auto::No;
    field.generate = Attribute::Generate::No;
    field.required = false;
    field.values.clear();
    field.min.reset();
    field.max.reset();
    field.min_length.reset();
    field.max_length.reset();
    field.max_items.reset();
    field.pattern = {};
    if (!field.is_computed() || changes_by_itself(field.when)) field.when.reset();
  }
}

void DriftDesign::leave_out_untimely_copies() {
  std::erase_if(computed_.copies, [&](const Copy& copy) {
    if (copy.kind == Copy::Kind::Snapshot) return true;  // its value was right once, and is not maintained
    if (!changes_by_itself(copy.when)) return false;
    notes_.push_back("the copy " + copy.name + " depends on time and was not checked");
    return true;
  });
}

void DriftDesign::find_unreported() {
  for (const Copy& copy : computed_.copies) {
    if (!makes_items(copy)) continue;
    const Entity& to = *said_.find_entity(copy.to.text);
    std::set<std::string, std::less<>> names = counted_fields(to);
    for (const Attribute& field : to.fields) {
      const bool by_itself = field.automatic != Attribute::Auto::No ||
                             field.generate != Attribute::Generate::No || changes_by_itself(field.derive);
      if (by_itself) names.insert(field.name);
    }
    for (const std::vector<Assignment>* assignments : {&copy.key, &copy.carry}) {
      for (const Assignment& assignment : *assignments) {
        if (assignment.value.changes_by_itself()) {
          names.insert(assignment.field);
        } else {
          names.erase(assignment.field);
        }
      }
    }
    untold_[copy.name] = std::move(names);
  }
}

std::vector<const Copy*> DriftDesign::copies_to(const Entity& entity) const {
  std::vector<const Copy*> copies;
  for (const Copy& copy : computed_.copies) {
    if (makes_items(copy) && copy.to.text == entity.name) copies.push_back(&copy);
  }
  return copies;
}

bool DriftDesign::has_counters() const {
  return std::ranges::any_of(computed_.copies,
                             [](const Copy& copy) { return copy.kind == Copy::Kind::Counter; });
}

bool DriftDesign::counts_on(const Entity& entity) const { return !counted_fields(entity).empty(); }

std::set<std::string, std::less<>> DriftDesign::counted_fields(const Entity& entity) const {
  std::set<std::string, std::less<>> fields;
  for (const Copy& copy : computed_.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name) continue;
    if (!copy.count.empty()) fields.insert(copy.count);
    for (const Assignment& sum : copy.sum) fields.insert(sum.field);
  }
  return fields;
}

const std::set<std::string, std::less<>>& DriftDesign::unreported(const std::string& copy) const {
  return untold_.at(copy);
}

std::optional<Item> DriftDesign::source_key(const Copy& copy, const Item& copied_fields) const {
  Item source;
  for (const std::vector<Assignment>* assignments : {&copy.key, &copy.carry}) {
    for (const Assignment& assignment : *assignments) {
      const std::string* const field = only_field(assignment.value);
      const auto value = copied_fields.find(assignment.field);
      const bool is_element = field != nullptr && *field == copy.element;
      if (field != nullptr && !is_element && value != copied_fields.end())
        source.try_emplace(*field, value->second);
    }
  }
  const Result<Item> key = design::key_of(computed_, *computed_.find_entity(copy.from.text), source);
  return key ? std::optional(*key) : std::nullopt;
}

Result<std::vector<DependentWrite>> DriftDesign::expected_with(const Entity& entity,
                                                               const Item& fields) const {
  return design::dependent_writes_of(copying_, *copying_.find_entity(entity.name), nullptr, &fields, {});
}

Result<std::vector<DependentWrite>> DriftDesign::counted_with(const Entity& entity,
                                                              const Item& fields) const {
  return design::dependent_writes_of(counting_, *counting_.find_entity(entity.name), nullptr, &fields, {});
}

}  // namespace tavola::drift
