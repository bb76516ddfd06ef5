// The parameters of patterns and operations: given by a caller, checked, and completed.
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

// `given` holds values as JSON has them (field_value.h, from_plain). Returns them in the form of the parameters, with
// defaults where one is missing. Fails with Validation and BadParameter when one is missing, unknown or wrong.
Result<Item> check_parameters(std::span<const Parameter> parameters, const Item& given, const Moment& moment);

// What a rule gave, as a value of the field: a moment as the field's type writes it, otherwise as from_plain has it.
Result<Value> accept_computed(const Attribute& field, const Rule& rule, const Value& value);
// The same into `fields`, which are those of the entity. A state, which may be no attribute, is taken as it is.
Result<void> assign_computed(const Entity& entity, const Assignment& assignment, const Value& value,
                             Item& fields);

// Parameters from texts, as a command line or a query has them: each becomes what from_text makes of it.
Result<Item> from_texts(std::span<const Parameter> parameters,
                        const std::map<std::string, std::string, std::less<>>& texts);

}  // namespace tavola::design
