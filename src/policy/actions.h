// The actions that a policy of a table or a stream may name.
#pragma once

#include <string_view>

#include "policy/policy.h"

namespace tavola::policy {

// Returns whether "dynamodb:GetItem", "dynamodb:Batch*" or "*" matches an action of such a resource.
bool is_action(std::string_view text, Target target);

}  // namespace tavola::policy
