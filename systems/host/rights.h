// Lists what a person may ask and do, so that pages show no button that the server would refuse. The server decides anyway.
#pragma once

#include <string>
#include <vector>

#include "systems/host/application.h"
#include "systems/host/system_design.h"

namespace tavola::systems {

// Returns everything that roles and groups can permit: the names of patterns and operations, "read:Site", "write:Site".
std::vector<std::string> all_permissions(const design::Design& design);

// Returns whether the person may use one of these patterns or operations, with any item, by their roles and groups, also by the groups
// that the table lists.
Result<bool> may_do_any(const SystemDesign& design, const design::Identity& who,
                        const std::vector<std::string>& permissions);

// GET /api/rights. Returns what the person may do by their roles and groups, also by the groups that the table lists:
// {"createSite": "all", "addComment": "own"}. With "own" they may do it with their own items only. Borrows the design.
Route rights_page(const SystemDesign& design);

}  // namespace tavola::systems
