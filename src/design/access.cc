#include "design/access.h"

#include <algorithm>

#include "base/joined.h"

namespace tavola::design {
namespace {

constexpr std::string_view kLoggedIn = "logged-in";

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

// What is asked for, as roles list it.
struct Act {
  std::string_view verb;         // "run"
  std::string_view name;         // of a pattern, an operation or an entity
  std::string permission;        // as groups list it
  std::vector<Word> Role::* of;  // the list of a role
};

// The roles that list the act and that the person has: their own, and what these extend.
std::vector<const Role*> granting(const Design& design, const Identity& who, const Act& act) {
  std::vector<const Role*> found;
  for (const Role& role : design.roles) {
    if (!has(role, who)) continue;
    for (const Role* next = &role; next != nullptr; next = find_role(design, next->extends)) {
      const bool is_new = std::ranges::find(found, next) == found.end();
      if (is_new && lists(next->*act.of, act.name)) found.push_back(next);
    }
  }
  return found;
}

Error forbidden(const Identity& who, std::string reason) {
  return {ErrorCode::AccessDenied, std::move(reason), std::make_shared<Forbidden>(who)};
}

// "createSite needs the role manager, and anna does not have it"
Error missing_role(const Design& design, const Identity& who, const Act& act) {
  std::vector<std::string> needed;
  for (const Role& role : design.roles) {
    if (lists(role.*act.of, act.name)) needed.push_back(role.name);
  }
  const std::string what = "to " + std::string(act.verb) + " " + std::string(act.name);
  if (needed.empty()) return forbidden(who, "No role is allowed " + what);
  const std::string roles = joined(needed);
  return forbidden(who, "The role needed " + what + " is " + roles + ", and " +
                            (who.is_somebody() ? who.sub + " does not have it" : "nobody is logged in"));
}

Error not_own(const Identity& who, const Act& act, const std::string& own) {
  return forbidden(who, who.sub + " may " + std::string(act.verb) + " " + std::string(act.name) +
                            " for their own only: " + own + " must be " + who.sub);
}

bool is_given(const Item& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found != fields.end() && !found->second.is_null();
}

bool is_own(const Item& fields, const std::string& name, const Identity& who) {
  const auto found = fields.find(name);
  return who.is_somebody() && found != fields.end() && found->second == Value(who.sub);
}

bool has_parameter(const Design& design, std::string_view name, const std::string& parameter) {
  const auto is_among = [&](const std::vector<Parameter>& parameters) {
    return std::ranges::find(parameters, parameter, &Parameter::name) != parameters.end();
  };
  if (const Pattern* const pattern = design.find_pattern(name)) return is_among(pattern->parameters);
  const Operation* const operation = design.find_operation(name);
  return operation != nullptr && is_among(operation->parameters);
}

}  // namespace

Result<Item> may_run(const Design& design, const Identity& who, std::string_view name, Item parameters) {
  if (design.roles.empty()) return parameters;
  const Act act{"run", name, std::string(name), &Role::run};
  const std::vector<const Role*> roles = granting(design, who, act);
  bool is_free = std::ranges::find(who.permissions, act.permission) != who.permissions.end();
  std::string own;
  for (const Role* const role : roles) {
    if (role->own.empty() || !has_parameter(design, name, role->own)) {
      is_free = true;
      continue;
    }
    own = role->own;
    if (who.is_somebody() && !is_given(parameters, own)) parameters.insert_or_assign(own, Value(who.sub));
    if (is_own(parameters, own, who)) return parameters;
  }
  if (is_free) return parameters;
  return fail(own.empty() ? missing_role(design, who, act) : not_own(who, act, own));
}

Result<void> may_use(const Design& design, const Identity& who, ItemAct kind, const Entity& entity,
                     const Item& fields) {
  if (design.roles.empty()) return {};
  const bool reads = kind == ItemAct::Read;
  const Act act{reads ? "read" : "write", entity.name, (reads ? "read:" : "write:") + entity.name,
                reads ? &Role::read : &Role::write};
  if (std::ranges::find(who.permissions, act.permission) != who.permissions.end()) return {};
  std::string own;
  for (const Role* const role : granting(design, who, act)) {
    if (role->own.empty() || entity.find_field(role->own) == nullptr) return {};
    own = role->own;
    if (is_own(fields, own, who)) return {};
  }
  return fail(own.empty() ? missing_role(design, who, act) : not_own(who, act, own));
}

}  // namespace tavola::design
