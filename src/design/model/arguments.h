// The parameters of patterns and operations: given by a caller, checked and completed.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/ambient.h"
#include "design/model/bad_parameter.h"
#include "design/model/model.h"

namespace tavola::design {

// Checks `given`, which holds values as JSON has them (field_value.h, from_plain). Returns them in the form of the
// parameters, with defaults for missing ones. Fails with Validation and BadParameter if one is missing, unknown or
// wrong.
Result<Item> check_parameters(std::span<const Parameter> parameters, const Item& given,
                              const Ambient& ambient);

// Returns the result of a rule as a value of the field: a time in the field's type, any other value as from_plain
// returns it.
Result<Value> accept_computed(const Attribute& field, const Rule& rule, const Value& value);
// Assigns the result of a rule to one of `fields`, the entity's. A state, which may be no attribute, is
// assigned as it is.
Result<void> assign_computed(const Entity& entity, const Assignment& assignment, const Value& value,
                             Item& fields);

// Reads parameters from texts, as in a command line or a query string, by from_text.
Result<Item> from_texts(std::span<const Parameter> parameters,
                        const std::map<std::string, std::string, std::less<>>& texts);

}  // namespace tavola::design
