#include <algorithm>
#include <set>

#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/model/field_value.h"
#include "design/requests/pattern_request.h"
#include "design/roles/groups.h"

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
  if (!is_said) {
    problems.error("missing-key", retention.at,
                   "`" + std::string(key) + "` is missing in the retention of `" + retention.entity + "`",
                   "Add `" + std::string(key) + "`.");
  }
}

// Retention by age needs a field with a time; expiry needs the attribute that the database watches.
void check_moments(const Design& design, const Entity& entity, const Retention& retention,
                   Problems& problems) {
  const Attribute* by = entity.find_field(retention.by);
  if (by != nullptr && !by->type.is_timestamp()) {
    problems.error("wrong-kind", retention.by_at, "`" + by->name + "` is not a timestamp",
                   "Name a field of the type timestamp, timestamp(epoch_ms) or timestamp(epoch_s).");
  }
  if (retention.kind != Retention::Kind::Expire) return;
  const Attribute* ttl = entity.find_field(design.table.ttl);
  if (ttl != nullptr && ttl->type.kind != AttributeType::Kind::TimestampS) {
    problems.error("wrong-kind", ttl->at, "the time of expiry must be in seconds",
                   "Give `" + ttl->name + "` the type timestamp(epoch_s), or leave it out: it is added.");
  }
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
  check_moments(design, *entity, retention, problems);
  if (!retention.attribute.empty())
    require_field(*entity, {retention.attribute, retention.attribute_at}, problems);
}

const Role* find_role(const Design& design, std::string_view name) {
  const auto found = std::ranges::find(design.roles, name, &Role::name);
  return found == design.roles.end() ? nullptr : &*found;
}

// A parameter must identify the owner. Without it, a role for the person's own items would apply to
// everybody's.
void check_owner(const Design& design, const Role& role, const Word& name, Problems& problems) {
  const auto has_owner = [&](const std::vector<Parameter>& parameters) {
    return std::ranges::find(parameters, role.own, &Parameter::name) != parameters.end();
  };
  const auto is_owned = [&](const Word& entity) {
    const Entity* const found = design.find_entity(entity.text);
    return found != nullptr && found->find_field(role.own) != nullptr;
  };
  bool is_open = false;
  if (const Pattern* const pattern = design.find_pattern(name.text)) {
    is_open = std::ranges::any_of(parts_of(design, *pattern), [&](const Pattern* part) {
      const Entity* const found = found_by(design, *part);
      return !has_owner(part->parameters) &&
             (is_owned(part->entity) || (found != nullptr && is_owned({found->name, {}})));
    });
  } else if (const Operation* const operation = design.find_operation(name.text)) {
    is_open =
        !has_owner(operation->parameters) && std::ranges::any_of(operation->steps, is_owned, &Step::entity);
  }
  if (is_open) {
    problems.error("no-owner", name.at,
                   "`" + name.text + "` has no parameter `" + role.own + "`, and `" + role.name +
                       "` is limited to a person's own items",
                   "Give it the parameter `" + role.own + "`, or let a role without `own` run it.");
  }
}

// Import brings in items as they are, which nobody may do by accident.
void check_import(const Design& design, const Role& role, Problems& problems) {
  if (role.may_import && !role.own.empty()) {
    problems.error("import-role", role.own_at,
                   "`" + role.name + "` has `import` and is limited to a person's own items",
                   "Give `import` to a role without `own`: it brings in the items of everybody.");
  }
  if (!role.is.empty()) return;
  std::set<std::string_view> seen;
  for (const Role* next = &role; next != nullptr && seen.insert(next->name).second;
       next = find_role(design, next->extends)) {
    if (!next->may_import) continue;
    problems.error("import-role", role.at, "everybody has the role `" + role.name + "`, which may import",
                   "Limit the role to a group with `is`.");
    return;
  }
}

void check_role(const Design& design, const Role& role, Problems& problems) {
  if (!role.extends.empty() && find_role(design, role.extends) == nullptr) {
    refuse_unknown("unknown-role", {role.extends, role.extends_at}, "the role", names_of(design.roles),
                   problems);
  }
  std::set<std::string_view> seen;
  for (const Role* next = &role; next != nullptr; next = find_role(design, next->extends)) {
    if (seen.insert(next->name).second) continue;
    problems.error("circular", role.at, "`" + role.name + "` extends itself",
                   "Remove one `extends` of the circle.");
    break;
  }
  check_import(design, role, problems);
  for (const Word& name : role.read) require_entity(design, name, problems);
  for (const Word& name : role.run) {
    require_runnable(design, name, problems);
    if (!role.own.empty()) check_owner(design, role, name, problems);
  }
  bool has_owner = role.own.empty() || role.write.empty();
  for (const Word& name : role.write) {
    const Entity* entity = require_entity(design, name, problems);
    has_owner = has_owner || entity == nullptr || entity->find_field(role.own) != nullptr;
  }
  if (!has_owner) {
    problems.error("unknown-field", role.own_at,
                   "no entity that `" + role.name + "` writes has the field `" + role.own + "`",
                   "Name the field with the owner.");
  }
}

void check_group_source(const Design& design, const Groups::Source& source, Problems& problems) {
  if (source.pattern.empty()) return;
  const Pattern* const pattern = design.find_pattern(source.pattern.text);
  if (pattern == nullptr) {
    return refuse_unknown("unknown-pattern", source.pattern, "the pattern", names_of(design.patterns),
                          problems);
  }
  const bool is_served = pattern->form == Pattern::Form::Get || pattern->form == Pattern::Form::Query;
  if (!is_served || !pattern->follow.empty() || pattern->parameters.size() != 1) {
    problems.error(
        "pattern-form", source.pattern.at,
        "`" + pattern->name + "` " +
            (pattern->follow.empty() ? "does not have exactly one parameter" : "follows a reference"),
        "Name a get or a query whose only parameter is the person, or the group.");
  }
  const Entity* const entity = design.find_entity(pattern->entity.text);
  if (entity == nullptr) return;
  require_field(*entity, source.field, problems);
  const bool is_copy = std::ranges::any_of(design.copies, [&](const Copy& copy) {
    return copy.to.text == entity->name &&
           (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout);
  });
  const bool follows = std::ranges::any_of(design.consequences, [&](const Consequence& consequence) {
    return consequence.entity.text == entity->name;
  });
  if (is_copy || follows) {
    problems.error("copied-groups", source.pattern.at,
                   "`" + pattern->name + "` finds `" + entity->name + "`, which is a " +
                       (is_copy ? "copy" : "consequence"),
                   "Name a pattern that finds items that people write.");
  }
}

// Checks the permissions that the design itself writes. Permissions that are data are checked when they are
// written.
void check_permissions(const Design& design, Problems& problems) {
  if (!design.groups) return;
  const std::vector<std::string> known = all_permissions(design);
  for (const Word& word : design.groups->for_others) {
    if (std::ranges::find(known, word.text) == known.end())
      refuse_unknown("unknown-permission", word, "the permission", known, problems);
  }
  for (const Entity& entity : design.entities) {
    for (const Attribute& field : entity.fields) {
      for (const std::optional<Value>* value : {&field.otherwise, &field.example}) {
        const auto why = field.permits.empty() || !*value ? std::nullopt : why_not(field, **value);
        if (why) {
          problems.error("unknown-permission", field.at, "`" + field.name + "` " + *why,
                         "Use a name of the design.");
        }
      }
    }
  }
}

}  // namespace

void validate_plans(const Design& design, Problems& problems) {
  for (const Retention& retention : design.retention) check_retention(design, retention, problems);
  for (const Role& role : design.roles) check_role(design, role, problems);
  if (design.groups) {
    check_group_source(design, design.groups->member_of, problems);
    check_group_source(design, design.groups->permissions, problems);
    check_permissions(design, problems);
  }
  for (const CapacitySize& size : design.capacity) {
    for (const auto& [name, count] : size.items) require_entity(design, name, problems);
    for (const auto& [name, times] : size.daily) require_runnable(design, name, problems);
  }
}

}  // namespace tavola::design
