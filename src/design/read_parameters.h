// The parameters of patterns and operations: found where they are used, with the form of the field they stand for.
#pragma once

#include <string>
#include <vector>

#include "design/model.h"
#include "design/problems.h"
#include "yaml/node.h"

namespace tavola::design {

struct ParameterUse {
  std::string name;
  const Entity* entity = nullptr;   // whose field of the same name gives the form
  const Attribute* like = nullptr;  // otherwise this one does
  bool required = true;
  Span at;
};
using ParameterUses = std::vector<ParameterUse>;

// Each parameter once, in the order of first use; required if one of its uses needs it.
std::vector<Parameter> parameters_of(const ParameterUses& uses);

// What `params` says about them, or about further ones.
void read_parameters(const yaml::Node& part, std::vector<Parameter>& parameters, Problems& problems);

// The form that values of a field have when somebody gives them: without what computes it.
Attribute given_form(std::string name, const Attribute& field);

// The placeholders of a pattern's key template. `own` are the templates that the entity has for that key: the field at the same
// place of the first that begins alike is what a placeholder stands for.
void use_placeholders(const Template& said, const std::vector<const Template*>& own, const Entity& entity,
                      const Span& at, ParameterUses& uses);
// The :names of a rule. Of a rule that is but one :name, `assigned` (or null) is the field it is given to.
void use_rule(const Rule& rule, const Entity* entity, const Attribute* assigned, const Span& at,
              ParameterUses& uses);

}  // namespace tavola::design
