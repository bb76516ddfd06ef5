#include "design/items/entity_rules.h"

#include <algorithm>
#include <memory>

#include "design/model/nearest.h"
#include "design/model/refusal.h"
#include "design/model/vocabulary.h"

namespace tavola::design {
namespace {

// Returns the field that a rule is about; empty if there are several.
std::string only_field_of(const EntityRule& rule) {
  return rule.that.paths().size() == 1 ? rule.that.paths().front().front() : std::string();
}

template <class Keyed>
bool is_key_of(const Keyed& keyed, std::string_view attribute) {
  return keyed.hash.name == attribute || (keyed.range && keyed.range->name == attribute);
}

}  // namespace

bool keeps(const EntityRule& rule, const Item& fields) {
  const bool has_all = std::ranges::all_of(
      rule.that.paths(), [&](const auto& path) { return fields.find(path.front()) != fields.end(); });
  if (!has_all && !rule.that.asks_exists()) return true;
  return rule.that.holds({.fields = &fields}).value_or(false);
}

std::string broken_text(const Entity& entity, const EntityRule& rule) {
  return entity.name + "." + rule.name + ": " +
         (rule.message.empty() ? rule.that.text() + " does not hold" : rule.message);
}

Result<void> check_rule(const Design& design, const Entity& entity, std::string_view rule,
                        const Item& fields) {
  for (const EntityRule& one : entity.rules) {
    if (one.name != rule || keeps(one, fields)) continue;
    return fail(with_detail(refusal(design, broken_text(entity, one), one.at),
                            std::make_shared<Violation>(one.name, only_field_of(one))));
  }
  return {};
}

Result<void> check_rules(const Design& design, const Entity& entity, const Item& fields) {
  for (const EntityRule& one : entity.rules) TAVOLA_CHECK(check_rule(design, entity, one.name, fields));
  return {};
}

bool is_declared(const Design& design, const Entity& entity, std::string_view attribute) {
  const Table& table = design.table;
  if (entity.find_field(attribute) != nullptr || is_key_of(table, attribute)) return true;
  if (attribute == table.entity_attribute || attribute == table.ttl) return true;
  return std::ranges::any_of(entity.indexes, [&](const IndexEntry& entry) {
    const Index* const index = design.find_index(entry.index);
    return index != nullptr && is_key_of(*index, attribute);
  });
}

std::string undeclared_text(const Entity& entity, std::string_view attribute) {
  return entity.name + " has no attribute `" + std::string(attribute) + "`, and is closed. " +
         did_you_mean(attribute, field_names(entity), "Declare it, or leave it out.");
}

}  // namespace tavola::design
