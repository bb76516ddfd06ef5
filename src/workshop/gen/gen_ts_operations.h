// The operations of a design as functions in TypeScript, step by step.
#pragma once

#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns the interface of its parameters, the names of its refusals, and the function.
std::string ts_operation(const design::Design& design, const design::Operation& operation);

// Returns the name of the constant that describes how an entity is stored.
std::string kind_name(const design::Entity& entity);
// Returns ", p: { shopId: string }", or `given` instead of `p` if values must be checked first; empty without
// parameters.
std::string ts_arguments(const std::vector<design::Parameter>& parameters);
// Returns "  const p = acceptAll({…}, given);\n" for the checks that types cannot express.
std::string ts_accepting(const std::vector<design::Parameter>& parameters, const std::string& now);

}  // namespace tavola::workshop
