// Roles that depend on the table: looks up groups and permissions (design/roles/groups.h) in the runner's database.
#pragma once

#include <span>
#include <string_view>

#include "design/roles/access.h"
#include "runner/runner.h"

namespace tavola::runner {

// All of these need a runner without a caller.

// Returns the person with the groups stored in the table added, and with the permissions of all their groups. Fails as
// the database does.
Result<design::Identity> with_groups(const Runner& runner, const design::Identity& who);

// Performs design::may_run. Reads the table only if the person is refused without it. Fails as that does, or as the
// database does.
Result<Item> may_run(const Runner& runner, const design::Identity& who, std::string_view name,
                     const Item& parameters);

// Fails with AccessDenied if the person may not read one of the entities, or as the database does.
Result<void> may_read(const Runner& runner, const design::Identity& who,
                      std::span<const Found::One> entities);

}  // namespace tavola::runner
