// Groups that the table describes (`groups` of a design): their members, the permissions of each, and the right to
// change them. A person grants a permission by writing it into the field that `permissions` is read from, or by making
// somebody a member of a group that has it. Only a person who has the permission may grant it: otherwise everybody who
// may create a group could do everything.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/roles/access.h"

namespace tavola::design {

// Returns the fields of all items that a pattern finds for its one parameter: a person, or a group.
using AskGroups = std::function<Result<std::vector<Item>>(const Pattern& pattern, const std::string& about)>;

// The maximum number of groups of one person that are read.
inline constexpr std::size_t kGroupsMax = 1000;

// Returns the person with the groups that the table adds, and with the permissions of all their groups. Fails as `ask`
// does, and with AccessDenied if the person is in too many groups.
Result<Identity> with_groups(const Design& design, Identity who, const AskGroups& ask);

// The rights that a change of an item gives to people who did not have them by that item before.
struct Granted {
  std::vector<std::string> permissions;  // to the members of a group
  std::vector<std::string> groups;       // to a person: memberships
  bool empty() const { return permissions.empty() && groups.empty(); }
};
Granted granted(const Design& design, const std::optional<Item>& before, const std::optional<Item>& after);

// A person who grants permissions with one request.
struct Giver {
  Identity who;
  std::optional<Result<Identity>> known = {};  // with their groups, once these were read
};

// Fails with AccessDenied and Forbidden if the person does not have all of it. Reads the giver's groups from the table
// once, and only if their token or key does not suffice.
Result<void> may_grant(const Design& design, Giver& giver, const Granted& wanted, const AskGroups& ask);

// Returns all permissions that groups can have: patterns, operations, "read:Entity", "write:Entity".
std::vector<std::string> all_permissions(const Design& design);

}  // namespace tavola::design
