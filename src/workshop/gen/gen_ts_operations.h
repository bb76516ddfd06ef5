// The operations of a design as functions in TypeScript, step after step as the design has them.
#pragma once

#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// The interface of its parameters, the names of its refusals, and the function.
std::string ts_operation(const design::Design& design, const design::Operation& operation);

// The constant that knows how an entity is stored.
std::string kind_name(const design::Entity& entity);
// ", p: { shopId: string }", or `given` instead of `p` when values must be looked at first; nothing for no parameters.
std::string ts_arguments(const std::vector<design::Parameter>& parameters);
// "  const p = acceptAll({…}, given);\n" for what the types do not say.
std::string ts_accepting(const std::vector<design::Parameter>& parameters, const std::string& now);

}  // namespace tavola::workshop
