// Roles, where the table has a say in them: who is in which group, and what a group permits (`groups` of a design).
#pragma once

#include <string_view>

#include "design/access.h"
#include "runner/runner.h"

namespace tavola::runner {

// The person with the groups that the table tells besides, and with what all their groups permit. Fails as the database does.
Result<design::Identity> with_groups(const Runner& runner, design::Identity who);

// design::may_run, design::may_use. The table is looked at only where the person is refused without it.
Result<Item> may_run(const Runner& runner, const design::Identity& who, std::string_view name,
                     const Item& parameters);
Result<void> may_use(const Runner& runner, const design::Identity& who, design::ItemAct act,
                     const design::Entity& entity, const Item& fields);

}  // namespace tavola::runner
