// Roles where the table has a say in them: groups and permissions (design/roles/groups.h) are looked up in the runner's database.
#pragma once

#include <string_view>

#include "design/roles/access.h"
#include "runner/runner.h"

namespace tavola::runner {

// All of these want a runner that nobody limits.

// The person with the groups that the table tells besides, and with what all their groups permit. Fails as the database does.
Result<design::Identity> with_groups(const Runner& runner, const design::Identity& who);

// design::may_run. The table is looked at only where the person is refused without it. Fails as that does, or as the database does.
Result<Item> may_run(const Runner& runner, const design::Identity& who, std::string_view name,
                     const Item& parameters);

}  // namespace tavola::runner
