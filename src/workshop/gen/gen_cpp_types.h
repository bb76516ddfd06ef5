// The types of a generated C++ header: what a field is there, and the enums and structs that fields need.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// "/// …" lines of at most 110 characters, each behind `indent`; nothing for nothing.
std::string cpp_comment(std::string_view text, const std::string& indent = "");
// "text" as a literal.
std::string cpp_literal(std::string_view text);

// Knows which enums exist: fields with the same values share one.
class CppTypes {
 public:
  // struct Name { its enums and structs, the fields, the list of fields; then `more`, lines of its own }.
  // `is_given`: a struct that a caller fills, in which what is required has no value of its own.
  struct Struct {
    std::string name;
    std::string doc;
    std::vector<design::Attribute> fields;
    std::string more;
    bool is_given = false;
  };
  std::string write(const Struct& what) { return write(what, "", ""); }

  // How a field is passed to a function: std::string_view, std::int64_t, …
  std::string argument(const design::Attribute& field) const;

 private:
  std::string write(const Struct& what, const std::string& indent, const std::string& outer);
  // The declaration of a field, with what is said about it.
  std::string member(const Struct& what, const design::Attribute& field, const std::string& indent,
                     const std::string& outer) const;
  std::string declarations(const Struct& what, const std::string& indent, const std::string& outer);
  std::string type_of(const design::Attribute& field, const design::AttributeType& type) const;

  std::map<std::vector<std::string>, std::string> enums_;    // by their values: "Transaction::Type"
  std::map<const design::Attribute*, std::string> structs_;  // of maps, while their struct is written
};

}  // namespace tavola::workshop
