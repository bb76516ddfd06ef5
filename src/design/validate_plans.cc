#include <algorithm>
#include <set>

#include "design/validate.h"
#include "design/validate_references.h"

namespace tavola::design {
namespace {

std::vector<std::string> runnable(const Design& design) {
  std::vector<std::string> names = names_of(design.patterns);
  for (const Operation& operation : design.operations) names.push_back(operation.name);
  return names;
}

void require_runnable(const Design& design, const Word& name, Problems& problems) {
  if (design.find_pattern(name.text) == nullptr && design.find_operation(name.text) == nullptr)
    refuse_unknown("unknown-pattern", name, "the pattern or operation", runnable(design), problems);
}

void require_key(bool is_said, std::string_view key, const Retention& retention, Problems& problems) {
  if (!is_said)
    problems.error("missing-key", retention.at,
                   "`" + std::string(key) + "` is missing in the retention of `" + retention.entity + "`",
                   "Add `" + std::string(key) + "`.");
}

void check_retention(const Design& design, const Retention& retention, Problems& problems) {
  using Kind = Retention::Kind;
  const Entity* entity = require_entity(design, {retention.entity, retention.at}, problems);
  if (entity == nullptr) return;
  if (retention.kind == Kind::Archive || retention.kind == Kind::Expire) {
    require_key(retention.after.has_value(), "after", retention, problems);
    require_key(!retention.by.empty(), "by", retention, problems);
  }
  if (retention.kind == Kind::SoftDelete)
    require_key(!retention.attribute.empty(), "attribute", retention, problems);
  if (!retention.by.empty()) require_field(*entity, {retention.by, retention.by_at}, problems);
  if (!retention.attribute.empty())
    require_field(*entity, {retention.attribute, retention.attribute_at}, problems);
}

const Role* find_role(const Design& design, std::string_view name) {
  const auto found = std::ranges::find(design.roles, name, &Role::name);
  return found == design.roles.end() ? nullptr : &*found;
}

void check_role(const Design& design, const Role& role, Problems& problems) {
  if (!role.extends.empty() && find_role(design, role.extends) == nullptr)
    refuse_unknown("unknown-role", {role.extends, role.extends_at}, "the role", names_of(design.roles),
                   problems);
  std::set<std::string_view> seen;
  for (const Role* next = &role; next != nullptr; next = find_role(design, next->extends)) {
    if (seen.insert(next->name).second) continue;
    problems.error("circular", role.at, "`" + role.name + "` extends itself", "Break the circle.");
    break;
  }
  for (const Word& name : role.read) require_entity(design, name, problems);
  for (const Word& name : role.run) require_runnable(design, name, problems);
  bool has_owner = role.own.empty() || role.write.empty();
  for (const Word& name : role.write) {
    const Entity* entity = require_entity(design, name, problems);
    has_owner = has_owner || entity == nullptr || entity->find_field(role.own) != nullptr;
  }
  if (!has_owner)
    problems.error("unknown-field", role.own_at,
                   "nothing that `" + role.name + "` writes has the field `" + role.own + "`",
                   "Name the field with the owner.");
}

}  // namespace

void validate_plans(const Design& design, Problems& problems) {
  for (const Retention& retention : design.retention) check_retention(design, retention, problems);
  for (const Role& role : design.roles) check_role(design, role, problems);
  for (const CapacitySize& size : design.capacity) {
    for (const auto& [name, count] : size.items) require_entity(design, name, problems);
    for (const auto& [name, times] : size.daily) require_runnable(design, name, problems);
  }
}

}  // namespace tavola::design
