// The names and types of a generated Python module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns the name of a field, a parameter or a method. It differs from the design's where Python, or the class around
// it, needs the name.
std::string py_identifier(std::string_view name);
// Returns the name of a class for an entity, a design or a refusal.
std::string py_class_name(std::string_view name);
std::string py_literal(std::string_view text);
// Returns a docstring with its indentation and a newline; empty for an empty text.
std::string py_doc(std::string_view text, std::string_view indent);

// Remembers the TypedDicts that maps need.
class PyTypes {
 public:
  // `owner` begins the name of a TypedDict: the class of the field, or the operation of the parameter.
  std::string type_of(const design::Attribute& field, const std::string& owner);
  // Returns the definitions of all TypedDicts so far.
  const std::string& definitions() const { return definitions_; }

 private:
  std::string type_of(const design::Attribute& field, const design::AttributeType& type,
                      const std::string& owner);
  std::string typed_dict(const design::Attribute& field, const std::string& owner);

  std::string definitions_;
};

}  // namespace tavola::workshop
