#include "governed/design_facts.h"

#include <algorithm>
#include <utility>

#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"

namespace tavola::governed {
namespace {

using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;

AttributeSet counters_kept_on(const Design& design, const Entity& entity) {
  AttributeSet names;
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name) continue;
    if (!copy.count.empty()) names.insert(copy.count);
    for (const design::Assignment& sum : copy.sum) names.insert(sum.field);
  }
  return names;
}

void add_paths(const std::optional<design::Rule>& rule, AttributeSet& names) {
  if (!rule) return;
  for (const std::vector<std::string>& path : rule->paths()) names.insert(path.front());
}

void add_fields(const std::optional<design::Template>& text, AttributeSet& names) {
  if (!text) return;
  for (const std::string& field : text->fields()) names.insert(field);
}

// Returns the fields from which something else of the entity is made: keys, states, other fields, its rules.
AttributeSet used_fields(const Entity& entity) {
  AttributeSet names;
  add_fields(entity.hash, names);
  add_fields(entity.range, names);
  for (const design::IndexEntry& index : entity.indexes) {
    add_fields(index.hash.from, names);
    if (index.range) add_fields(index.range->from, names);
    add_paths(index.when, names);
  }
  for (const Attribute& field : entity.fields) {
    add_fields(field.format, names);
    add_fields(field.value, names);
    add_paths(field.derive, names);
    add_paths(field.when, names);
    names.insert(field.hash_of.begin(), field.hash_of.end());
    // The field itself may refuse a value.
    const bool has_bounds = field.min || field.max || field.unique || !field.values.empty() || field.when;
    if (has_bounds) names.insert(field.name);
  }
  for (const design::EntityRule& rule : entity.rules) add_paths(rule.that, names);
  return names;
}

bool has_name(const std::vector<design::Word>& words, const std::string& name) {
  return std::ranges::find(words, name, &design::Word::text) != words.end();
}

bool has_consequences(const Design& design, const Entity& entity) {
  return std::ranges::any_of(design.consequences,
                             [&](const design::Consequence& one) { return has_name(one.of, entity.name); });
}

// Returns whether rules about other items take values from items of this entity.
bool gives_values(const Design& design, const Entity& entity) {
  const bool is_copied = std::ranges::any_of(design.copies, [&](const Copy& copy) {
    return copy.kind == Copy::Kind::Snapshot && copy.from.text == entity.name;
  });
  return is_copied || std::ranges::any_of(design.consequences, [&](const design::Consequence& one) {
           return std::ranges::any_of(
               one.reads, [&](const design::ReadFirst& read) { return read.entity.text == entity.name; });
         });
}

bool is_same(const Item& a, const Item& b, const std::string& name) {
  const auto of_a = a.find(name);
  const auto of_b = b.find(name);
  if (of_a == a.end() || of_b == b.end()) return of_a == a.end() && of_b == b.end();
  return of_a->second == of_b->second;
}

bool is_number(const Item& item, const std::string& name) {
  const auto value = item.find(name);
  return value != item.end() && value->second.is_number();
}

}  // namespace

DesignFacts::DesignFacts(std::shared_ptr<const Design> design, std::optional<WallTime> strict_since)
    : design_(std::move(design)), strict_since_(strict_since) {
  for (const design::Index& index : design_->indexes) {
    of_indexes_.insert(index.hash.name);
    if (index.range) of_indexes_.insert(index.range->name);
  }
  if (!design_->table.entity_attribute.empty()) of_indexes_.insert(design_->table.entity_attribute);
  const design::Table& table = design_->table;
  of_indexes_.erase(table.hash.name);
  if (table.range) of_indexes_.erase(table.range->name);
  for (const Entity& entity : design_->entities) entities_.emplace(entity.name, facts_of(entity));
}

// The times of changes are in whole seconds, and of another clock.
bool DesignFacts::refused_at(WallTime time) const {
  constexpr std::chrono::seconds kMargin{2};
  return strict_since_ && time >= *strict_since_ + kMargin;
}

DesignFacts::EntityFacts DesignFacts::facts_of(const Entity& entity) const {
  EntityFacts facts;
  facts.looked_at = of_indexes_;
  for (const Attribute& field : entity.fields) {
    if (field.stored) facts.looked_at.insert(field.name);
  }
  for (const design::Lifecycle& lifecycle : entity.lifecycles) {
    if (!lifecycle.attribute.empty()) facts.looked_at.insert(lifecycle.attribute);
  }
  facts.counters = counters_kept_on(*design_, entity);
  for (const std::string& used : used_fields(entity)) facts.counters.erase(used);
  if (has_consequences(*design_, entity)) facts.counters.clear();
  facts.matters_by_existence = !gives_values(*design_, entity);
  return facts;
}

const DesignFacts::EntityFacts* DesignFacts::find(const Item& item) const {
  const design::Decoded decoded = design::decode(*design_, item);
  if (decoded.entity == nullptr) return nullptr;
  const auto found = entities_.find(decoded.entity->name);
  return found == entities_.end() ? nullptr : &found->second;
}

bool DesignFacts::is_record(const ItemView& item) const { return design::is_record(design_->table, item); }

AttributeSet DesignFacts::looked_at(const Item& item) const {
  const EntityFacts* const facts = find(item);
  return facts == nullptr ? of_indexes_ : facts->looked_at;
}

bool DesignFacts::changes_counters_alone(const Item& before, const Item& after) const {
  const EntityFacts* const facts = find(before);
  if (facts == nullptr || facts->counters.empty() || before.size() != after.size()) return false;
  return std::ranges::all_of(after, [&](const auto& attribute) {
    const std::string& name = attribute.first;
    if (is_same(before, after, name)) return true;
    return facts->counters.contains(name) && is_number(before, name) && is_number(after, name);
  });
}

bool DesignFacts::matters_by_existence(const Item& item) const {
  const EntityFacts* const facts = find(item);
  return facts != nullptr && facts->matters_by_existence;
}

// ---- GovernedTables ----

std::shared_ptr<const DesignFacts> GovernedTables::find(std::string_view table_name) const {
  const SharedLock lock(mutex_);
  const auto found = tables_.find(table_name);
  return found == tables_.end() ? nullptr : found->second;
}

void GovernedTables::set(const std::string& table_name, std::shared_ptr<const DesignFacts> facts) {
  const ExclusiveLock lock(mutex_);
  tables_.insert_or_assign(table_name, std::move(facts));
}

void GovernedTables::erase(std::string_view table_name) {
  const ExclusiveLock lock(mutex_);
  const auto found = tables_.find(table_name);
  if (found != tables_.end()) tables_.erase(found);
}

std::vector<std::shared_ptr<const DesignFacts>> GovernedTables::all() const {
  const SharedLock lock(mutex_);
  std::vector<std::shared_ptr<const DesignFacts>> facts;
  facts.reserve(tables_.size());
  for (const auto& [name, one] : tables_) facts.push_back(one);
  return facts;
}

}  // namespace tavola::governed
