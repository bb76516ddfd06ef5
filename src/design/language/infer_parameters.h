// The parameters of patterns and operations, inferred from their uses; each has the form of the field it stands
// for.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "design/language/problems.h"
#include "design/model/model.h"
#include "yaml/node.h"

namespace tavola::design {

struct ParameterUse {
  std::string name;
  const Entity* entity = nullptr;   // whose field of the same name gives the form
  const Attribute* like = nullptr;  // otherwise this one does
  bool required = true;
  Span at;
  bool is_day = false;  // it stands for the day of that field
};
using ParameterUses = std::vector<ParameterUse>;

// Counts the parameters and assignments of the patterns or the operations of a design, and refuses too many. A short text
// can have very many: a put of an entity has one of each for every field, and a union has the parameters of all its
// parts.
class PartCount {
 public:
  // `section` names the section in the message: "patterns".
  PartCount(std::string section, Problems& problems) : section_(std::move(section)), problems_(problems) {}

  void add(std::size_t parts, const Span& at);
  // Counts two for each parameter, which is larger than an assignment, and one more for every ten of its values.
  void add_all(const std::vector<Parameter>& parameters, const Span& at);

 private:
  std::string section_;
  Problems& problems_;
  std::size_t parts_ = 0;
};

// Returns each parameter once, in the order of first use; it is required if one of its uses requires it.
std::vector<Parameter> parameters_of(const ParameterUses& uses);

// Reads `params`, which refines these parameters or adds further ones.
void read_parameters(const yaml::Node& part, std::vector<Parameter>& parameters, Problems& problems);

// Returns the form of a field's values as a caller gives them: without the rules that compute it.
Attribute given_form(std::string name, const Attribute& field);

// Adds the placeholders of a pattern's key template. `own` are the templates that the entity has for that key: a
// placeholder stands for the field at the same position of the first template that begins alike.
void use_placeholders(const Template& said, const std::vector<const Template*>& own, const Entity& entity,
                      const Span& at, ParameterUses& uses);
// Adds the :names of a rule. If the rule is a single :name, `assigned` (or null) is the field it is assigned
// to.
void use_rule(const Rule& rule, const Entity* entity, const Attribute* assigned, const Span& at,
              ParameterUses& uses);

}  // namespace tavola::design
