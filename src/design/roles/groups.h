// Groups, where the table has a say in them (`groups` of a design): who is in which one, what each permits, and who may change
// that. A permission is given by writing it into the field that `permissions` is read from, or by making somebody a member of a
// group that has it. Only who has it may give it: otherwise everybody who may found a group could do everything.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/roles/access.h"

namespace tavola::design {

// The fields of everything that a pattern finds when it is asked with its one parameter: a person, or a group.
using AskGroups = std::function<Result<std::vector<Item>>(const Pattern& pattern, const std::string& about)>;

// How many groups of one person are looked up.
inline constexpr std::size_t kGroupsMax = 1000;

// The person with the groups that the table tells besides, and with what all their groups permit. Fails as `ask` does, and with
// AccessDenied when the person is in too many groups.
Result<Identity> with_groups(const Design& design, Identity who, const AskGroups& ask);

// What a change of an item gives to people that they did not have by that item before.
struct Granted {
  std::vector<std::string> permissions;  // to the members of a group
  std::vector<std::string> groups;       // to a person: to be a member
  bool empty() const { return permissions.empty() && groups.empty(); }
};
Granted granted(const Design& design, const std::optional<Item>& before, const std::optional<Item>& after);

// Somebody who gives permissions, with one request.
struct Giver {
  Identity who;
  std::optional<Result<Identity>> known = {};  // with their groups, once these were looked up
};

// Fails with AccessDenied and Forbidden when the person does not have all of it. The table is asked for the groups of the giver only
// where their token or key does not suffice, and once.
Result<void> may_grant(const Design& design, Giver& giver, const Granted& wanted, const AskGroups& ask);

// All that groups can permit: patterns, operations, "read:Entity", "write:Entity".
std::vector<std::string> all_permissions(const Design& design);

}  // namespace tavola::design
