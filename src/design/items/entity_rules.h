// The conditions that every item of an entity fulfils: its `rules`, and `closed`.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::design {

// Returns whether complete fields keep a rule. A rule that asks exists() is always checked, any other one only if every field that it
// names has a value. One that cannot be computed does not hold.
bool keeps(const EntityRule& rule, const Item& fields);

// Returns "Booking.endsAfterStart: The end must be after the start."
std::string broken_text(const Entity& entity, const EntityRule& rule);

// Fails with Validation, with the detail Violation, if the fields break the rule of this name, or any rule.
Result<void> check_rule(const Design& design, const Entity& entity, std::string_view rule,
                        const Item& fields);
Result<void> check_rules(const Design& design, const Entity& entity, const Item& fields);

// Returns whether an item of the entity may have an attribute of this name although it is closed: a field, a key, the entity attribute or
// the time of expiry.
bool is_declared(const Design& design, const Entity& entity, std::string_view attribute);

// Returns "Booking has no attribute `colour`, and is closed. Did you mean `color`?"
std::string undeclared_text(const Entity& entity, std::string_view attribute);

}  // namespace tavola::design
