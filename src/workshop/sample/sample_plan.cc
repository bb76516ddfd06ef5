#include "workshop/sample/sample_plan.h"

#include <algorithm>
#include <map>

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;
using design::Placeholder;
using design::Template;

// A placeholder with the word before it: SHOP of SHOP#<shopId>.
struct Segment {
  std::string word;
  std::string field;
};

std::vector<Segment> segments(const Template& text) {
  std::vector<Segment> found;
  std::string word;
  for (const Template::Part& part : text.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      std::string_view before = *literal;
      if (before.ends_with('#')) before.remove_suffix(1);
      word = before.substr(before.rfind('#') + 1);
    } else {
      found.push_back({word, std::get<Placeholder>(part).field});
      word.clear();
    }
  }
  return found;
}

std::vector<Segment> segments_of_keys(const Entity& entity) {
  std::vector<Segment> all = segments(entity.hash);
  const auto add = [&](const Template& text) { std::ranges::copy(segments(text), std::back_inserter(all)); };
  if (entity.range) add(*entity.range);
  for (const design::IndexEntry& entry : entity.indexes) {
    if (entry.hash.from) add(*entry.hash.from);
    if (entry.range && entry.range->from) add(*entry.range->from);
  }
  return all;
}

// Returns the entity that WORD#<…> identifies: by its whole key, or else by its sort key.
const Entity* owner_of(const Design& design, std::string_view word) {
  const auto is_exactly = [&](const Template& text) {
    return text.parts().size() == 2 && text.prefix() == std::string(word) + "#";
  };
  if (word.empty()) return nullptr;
  for (const Entity& entity : design.entities) {
    if (is_exactly(entity.hash) && (!entity.range || entity.range->is_literal())) return &entity;
  }
  for (const Entity& entity : design.entities) {
    if (entity.range && is_exactly(*entity.range) && !is_produced(design, entity)) return &entity;
  }
  return nullptr;
}

std::string own_field(const Entity& target, std::string_view field) {
  const std::vector<std::string> keys = target.key_fields();
  if (std::ranges::find(keys, field) != keys.end()) return std::string(field);
  return keys.empty() ? std::string() : keys.back();
}

std::vector<Link> links_of(const Design& design, const Entity& entity) {
  std::vector<Link> links;
  const auto add = [&](const std::string& field, const Entity* target) {
    const bool known = std::ranges::find(links, field, &Link::field) != links.end();
    if (target == nullptr || target == &entity || known || is_produced(design, *target)) return;
    std::string theirs = own_field(*target, field);
    if (!theirs.empty()) links.push_back({field, target, std::move(theirs)});
  };
  for (const Attribute& field : entity.fields) {
    if (!field.ref.empty()) add(field.name, design.find_entity(field.ref));
  }
  for (const Segment& segment : segments_of_keys(entity)) {
    const Attribute* field = entity.find_field(segment.field);
    if (field != nullptr && !field->is_computed()) add(segment.field, owner_of(design, segment.word));
  }
  return links;
}

// Returns the longest chain of links; a circle is cut where it closes.
unsigned level_of(std::size_t at, std::vector<EntityPlan>& plans, std::vector<int>& seen) {
  if (seen[at] != 0) return plans[at].level;
  seen[at] = 1;
  unsigned level = 0;
  for (const Link& link : plans[at].links) {
    const auto target = std::ranges::find(plans, link.target, &EntityPlan::entity);
    if (target == plans.end()) continue;
    const auto place = static_cast<std::size_t>(target - plans.begin());
    level = std::max(level, level_of(place, plans, seen) + 1);
  }
  plans[at].level = level;
  return level;
}

constexpr std::size_t kListUsual = 3;  // elements, each of which a fanout writes

// Returns how many items of the sample one of these causes: itself, and its copies.
std::size_t weight_of(const Design& design, const Entity& entity) {
  std::size_t items = 1;
  for (const Copy& copy : design.copies) {
    if (copy.from.text != entity.name) continue;
    if (copy.kind == Copy::Kind::Mirror) items += 1;
    if (copy.kind == Copy::Kind::Fanout) items += kListUsual;
  }
  return items;
}

std::size_t share(unsigned level) { return level == 0 ? 1 : std::size_t{2} << std::min(level, 4U); }

std::size_t count_min(const Entity& entity) {
  std::size_t states = 3;
  for (const design::Lifecycle& lifecycle : entity.lifecycles) {
    states = std::max(states, lifecycle.states.size() * entity.lifecycles.size());
  }
  return states;
}

}  // namespace

bool is_produced(const Design& design, const Entity& entity) {
  return std::ranges::any_of(design.copies, [&](const Copy& copy) {
    return copy.to.text == entity.name &&
           (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout || copy.creates);
  });
}

std::vector<EntityPlan> plan_sample(const Design& design, std::size_t total) {
  std::vector<EntityPlan> plans;
  for (const Entity& entity : design.entities) {
    if (!is_produced(design, entity)) plans.push_back({&entity, links_of(design, entity), 0, 0});
  }
  std::vector<int> seen(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) level_of(i, plans, seen);

  std::size_t shares = 0;
  for (const EntityPlan& plan : plans) shares += share(plan.level) * weight_of(design, *plan.entity);
  std::map<const Entity*, unsigned> levels;
  for (EntityPlan& plan : plans) {
    plan.count = std::max(total * share(plan.level) / shares, count_min(*plan.entity));
    levels.emplace(plan.entity, plan.level);
  }
  for (EntityPlan& plan : plans) {
    std::ranges::sort(plan.links, std::ranges::greater{},
                      [&](const Link& link) { return std::pair(levels[link.target], link.target); });
  }
  std::ranges::sort(plans, {}, [](const EntityPlan& plan) { return std::pair(plan.level, plan.entity); });
  return plans;
}

}  // namespace tavola::workshop
