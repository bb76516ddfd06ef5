#include "design/roles/access.h"

#include <algorithm>

#include "base/joined.h"

namespace tavola::design {
namespace {

constexpr std::string_view kLoggedIn = "logged-in";
constexpr std::string_view kRead = "read:";
constexpr std::string_view kWrite = "write:";
constexpr std::string_view kImport = "import:*";  // no pattern, operation or entity has such a name

const Role* find_role(const Design& design, std::string_view name) {
  const auto found = std::ranges::find(design.roles, name, &Role::name);
  return found == design.roles.end() ? nullptr : &*found;
}

bool has(const Role& role, const Identity& who) {
  if (role.is.empty()) return true;
  if (!who.is_somebody()) return false;
  return role.is == kLoggedIn || std::ranges::find(who.groups, role.is) != who.groups.end();
}

bool lists(const std::vector<Word>& words, std::string_view name) {
  return std::ranges::find(words, name, &Word::text) != words.end();
}

// The requested act, as roles list it.
struct Act {
  std::string_view verb;         // "run"
  std::string name;              // of a pattern, an operation or an entity
  std::string permission;        // as groups list it
  std::vector<Word> Role::* of;  // the list of a role
};

Act act_of(std::string_view permission) {
  if (permission.starts_with(kRead))
    return {"read", std::string(permission.substr(kRead.size())), std::string(permission), &Role::read};
  if (permission.starts_with(kWrite))
    return {"write", std::string(permission.substr(kWrite.size())), std::string(permission), &Role::write};
  return {"run", std::string(permission), std::string(permission), &Role::run};
}

bool has_parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  return std::ranges::find(parameters, name, &Parameter::name) != parameters.end();
}

// Returns whether the subject of the act can have an owner.
bool has_owner(const Design& design, const Act& act, std::string_view own) {
  if (act.of != &Role::run) {
    const Entity* const entity = design.find_entity(act.name);
    return entity != nullptr && entity->find_field(own) != nullptr;
  }
  if (const Pattern* const pattern = design.find_pattern(act.name))
    return has_parameter(pattern->parameters, own);
  const Operation* const operation = design.find_operation(act.name);
  return operation != nullptr && has_parameter(operation->parameters, own);
}

void add(std::vector<Right>& rights, Right right) {
  if (std::ranges::find(rights, right) == rights.end()) rights.push_back(std::move(right));
}

// Adds the rights that a role itself gives to an act.
void add_line(const Design& design, const Role& role, const Act& act, std::vector<Right>& rights) {
  if (!lists(role.*act.of, act.name)) return;
  const bool is_limited = !role.own.empty() && has_owner(design, act, role.own);
  add(rights, {act.permission, is_limited ? role.own : std::string()});
}

// Returns the person's rights to an act: by their roles and those that these extend, and by the permissions
// of their groups.
std::vector<Right> rights_to(const Design& design, const Identity& who, const Act& act) {
  std::vector<Right> rights;
  for (const Role& role : design.roles) {
    if (!has(role, who)) continue;
    for (const Role* next = &role; next != nullptr; next = find_role(design, next->extends))
      add_line(design, *next, act, rights);
  }
  if (std::ranges::find(who.permissions, act.permission) == who.permissions.end()) return rights;
  for (Right& right : rights_of_permission(design, act.permission)) add(rights, std::move(right));
  return rights;
}

// "createSite needs the role manager, and anna does not have it"
Error missing_role(const Design& design, const Identity& who, const Act& act) {
  std::vector<std::string> needed;
  for (const Role& role : design.roles) {
    if (lists(role.*act.of, act.name)) needed.push_back(role.name);
  }
  const std::string what = "to " + std::string(act.verb) + " " + act.name;
  if (needed.empty()) return forbidden(who, "No role is allowed " + what);
  const std::string roles = joined(needed);
  return forbidden(who, "The role needed " + what + " is " + roles + ", and " +
                            (who.is_somebody() ? who.sub + " does not have it" : "nobody is logged in"));
}

Error not_own(const Identity& who, const Act& act, const std::string& own) {
  return forbidden(who, who.sub + " may " + std::string(act.verb) + " " + act.name +
                            " only for their own items: " + own + " must be " + who.sub);
}

bool is_given(const Item& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found != fields.end() && !found->second.is_null();
}

bool is_own(const Item& fields, const std::string& name, const Identity& who) {
  const auto found = fields.find(name);
  return who.is_somebody() && found != fields.end() && found->second == Value(who.sub);
}

}  // namespace

Error forbidden(const Identity& who, std::string reason) {
  return {ErrorCode::AccessDenied, std::move(reason), std::make_shared<Forbidden>(who)};
}

bool may_import(const Design& design, const Identity& who) {
  return std::ranges::any_of(design.roles, [&](const Role& role) {
    if (!has(role, who)) return false;
    for (const Role* next = &role; next != nullptr; next = find_role(design, next->extends))
      if (next->may_import) return true;
    return false;
  });
}

bool has_importers(const Design& design) { return std::ranges::any_of(design.roles, &Role::may_import); }

Result<Item> may_run(const Design& design, const Identity& who, std::string_view name, Item parameters) {
  if (design.roles.empty()) return parameters;
  const Act act{"run", std::string(name), std::string(name), &Role::run};
  bool is_free = false;
  std::string own;
  for (const Right& right : rights_to(design, who, act)) {
    if (right.own.empty()) {
      is_free = true;
      continue;
    }
    own = right.own;
    if (who.is_somebody() && !is_given(parameters, own)) parameters.insert_or_assign(own, Value(who.sub));
    if (is_own(parameters, own, who)) return parameters;
  }
  if (is_free) return parameters;
  return fail(own.empty() ? missing_role(design, who, act) : not_own(who, act, own));
}

Result<void> may_use(const Design& design, const Identity& who, ItemAct kind, const Entity& entity,
                     const Item& fields) {
  if (design.roles.empty()) return {};
  const Act act = act_of(std::string(kind == ItemAct::Read ? kRead : kWrite) + entity.name);
  std::string own;
  for (const Right& right : rights_to(design, who, act)) {
    if (right.own.empty()) return {};
    own = right.own;
    if (is_own(fields, own, who)) return {};
  }
  return fail(own.empty() ? missing_role(design, who, act) : not_own(who, act, own));
}

std::vector<Right> rights_of_permission(const Design& design, std::string_view permission) {
  const Act act = act_of(permission);
  std::vector<Right> rights;
  const bool is_lifted = design.groups && lists(design.groups->for_others, permission);
  for (const Role& role : design.roles) {
    if (!is_lifted) add_line(design, role, act, rights);
  }
  // If one role is limited to the person's own items, so is the permission, even if another role is not.
  std::erase_if(rights, [](const Right& right) { return right.own.empty(); });
  if (rights.empty()) rights.push_back({act.permission});
  return rights;
}

std::vector<Right> rights_of_group(const Design& design, std::string_view group) {
  std::vector<Right> rights;
  if (group == kLoggedIn) return rights;
  for (const Role& role : design.roles) {
    if (role.is != group) continue;
    for (const Role* next = &role; next != nullptr; next = find_role(design, next->extends)) {
      if (next->may_import) add(rights, {std::string(kImport)});
      for (const Word& name : next->run) add_line(design, *next, act_of(name.text), rights);
      for (const Word& name : next->read)
        add_line(design, *next, act_of(std::string(kRead) + name.text), rights);
      for (const Word& name : next->write)
        add_line(design, *next, act_of(std::string(kWrite) + name.text), rights);
    }
  }
  return rights;
}

bool has_right(const Design& design, const Identity& who, const Right& right) {
  if (right.permission == kImport) return may_import(design, who);
  return std::ranges::any_of(rights_to(design, who, act_of(right.permission)),
                             [&](const Right& has) { return has.own.empty() || has.own == right.own; });
}

}  // namespace tavola::design
