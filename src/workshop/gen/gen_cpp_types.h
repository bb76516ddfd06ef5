// The types of a generated C++ header: the type of each field, and the enums and structs that fields need.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns "/// …" lines of at most 110 characters, each after `indent`; empty for an empty text.
std::string cpp_comment(std::string_view text, const std::string& indent = "");
// Returns "text" as a literal.
std::string cpp_literal(std::string_view text);

// Remembers the enums: fields with equal values share one.
class CppTypes {
 public:
  // struct Name { its enums and structs, the fields, the list of fields; then `more`, lines of its own }.
  // `is_given`: a struct that a caller fills, in which required fields have no default.
  struct Struct {
    std::string name;
    std::string doc;
    std::vector<design::Attribute> fields;
    std::string more;
    bool is_given = false;
  };
  std::string write(const Struct& what) { return write(what, "", ""); }

  // Returns the parameter type of a field: std::string_view, std::int64_t, …
  std::string argument(const design::Attribute& field) const;

 private:
  std::string write(const Struct& what, const std::string& indent, const std::string& outer);
  // Returns the declaration of a field, with its documentation.
  std::string member(const Struct& what, const design::Attribute& field, const std::string& indent,
                     const std::string& outer) const;
  std::string declarations(const Struct& what, const std::string& indent, const std::string& outer);
  std::string type_of(const design::Attribute& field, const design::AttributeType& type) const;

  std::map<std::vector<std::string>, std::string> enums_;    // by their values: "Transaction::Type"
  std::map<const design::Attribute*, std::string> structs_;  // of maps, while their struct is written
};

}  // namespace tavola::workshop
