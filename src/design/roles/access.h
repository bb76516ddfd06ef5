// Who may do what: the decision for one act of one person. Pure: who the person is, tokens and access keys say (access/identity/);
// which groups they are in by the table, groups.h.
//
// A role goes for everybody, for who is logged in (`is: logged-in`), or for the members of a group (`is: GROUP`), and has
// what the roles have that it extends. `own: FIELD` goes for what stands in the same role: only those whose FIELD is the
// person. A permission of a group is limited in the same way, unless the design says `for_others`. A design without roles
// allows everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::design {

struct Identity {
  std::string sub = {};  // empty: nobody is logged in
  std::vector<std::string> groups = {};
  // What the groups permit besides the roles: "createSite", "read:Site", "write:Site".
  std::vector<std::string> permissions = {};

  bool is_somebody() const { return !sub.empty(); }
};

// The name of this refusal among those of operations.
inline constexpr std::string_view kForbidden = "FORBIDDEN";

// The detail of the AccessDenied errors of this file.
struct Forbidden : ErrorDetail {
  explicit Forbidden(const Identity& who) : nobody(!who.is_somebody()) {}
  bool nobody;  // nobody is logged in: who logs in may be allowed to
};
Error forbidden(const Identity& who, std::string reason);

// Of a pattern or an operation. Returns the parameters, with the person as the owner where the role is about their own and no
// owner was given. Fails with AccessDenied and Forbidden; the message says which role is needed, in one sentence.
Result<Item> may_run(const Design& design, const Identity& who, std::string_view name, Item parameters);

// Of an entity as an item, whose fields are those that the request tells: what an owner is not told of is nobody's own.
enum class ItemAct : std::uint8_t { Read, Write };
Result<void> may_use(const Design& design, const Identity& who, ItemAct act, const Entity& entity,
                     const Item& fields);

// One thing that somebody may do, with everybody's or with their own.
struct Right {
  std::string permission;  // as groups list it: "createSite", "read:Site", "write:Site"
  std::string own = {};    // a field with the person; empty: with everybody's

  bool operator==(const Right&) const = default;
};

// What a permission of a group gives.
std::vector<Right> rights_of_permission(const Design& design, std::string_view permission);
// What the roles give that the members of a group have.
std::vector<Right> rights_of_group(const Design& design, std::string_view group);
// Whether the person has the right: by a role, or by a permission of one of their groups.
bool has_right(const Design& design, const Identity& who, const Right& right);

}  // namespace tavola::design
