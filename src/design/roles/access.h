// Decides whether a person may do one act. Pure: tokens and access keys identify the person (api/, http/); groups.h
// reads their groups from the table.
//
// A role applies to everybody, to logged-in persons (`is: logged-in`), or to the members of a group (`is: GROUP`), and
// includes the rights of the roles that it extends. `own: FIELD` limits the other rights of its role to items whose
// FIELD is the person. A group's permission is limited in the same way, unless the design says `for_others`. A design
// without roles allows everything.
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
  // Permissions by groups, in addition to the roles: "createSite", "read:Site", "write:Site".
  std::vector<std::string> permissions = {};

  bool is_somebody() const { return !sub.empty(); }
};

// The name of the refusal, like those of operations.
inline constexpr std::string_view kForbidden = "FORBIDDEN";

// The detail of the AccessDenied errors of this file.
struct Forbidden : ErrorDetail {
  explicit Forbidden(const Identity& who) : nobody(!who.is_somebody()) {}
  bool nobody;  // nobody is logged in: a login may help
};
Error forbidden(const Identity& who, std::string reason);

// Decides access to a pattern or an operation. Returns the parameters, with the person as the owner if the role is
// about their own items and no owner was given. Fails with AccessDenied and Forbidden; the message says in one sentence
// which role is needed.
Result<Item> may_run(const Design& design, const Identity& who, std::string_view name, Item parameters);

// Decides access to one item. `fields` are those the request reveals; if the owner field is not among them, no right
// to the person's own items applies.
enum class ItemAct : std::uint8_t { Read, Write };
Result<void> may_use(const Design& design, const Identity& who, ItemAct act, const Entity& entity,
                     const Item& fields);

// Returns whether a role of the person has `import`.
bool may_import(const Design& design, const Identity& who);
// Returns whether some role has it.
bool has_importers(const Design& design);

// One act that a person may do, with all items or with their own.
struct Right {
  std::string permission;  // as groups list it: "createSite", "read:Site", "write:Site"
  std::string own = {};    // the field with the person; empty: all items

  bool operator==(const Right&) const = default;
};

// Returns the rights that a permission of a group gives.
std::vector<Right> rights_of_permission(const Design& design, std::string_view permission);
// Returns the rights that roles give the members of a group.
std::vector<Right> rights_of_group(const Design& design, std::string_view group);
// Returns whether the person has the right, by a role or by a permission of one of their groups.
bool has_right(const Design& design, const Identity& who, const Right& right);

}  // namespace tavola::design
