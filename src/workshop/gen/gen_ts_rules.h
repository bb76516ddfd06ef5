// Rules and templates of a design as TypeScript, and filters as expressions of DynamoDB.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

std::string ts_literal(std::string_view text);
std::string ts_value(const Value& value);
// Returns `it.name`, or `it["name"]` if the name is not an identifier.
std::string ts_member(const std::string& of, std::string_view name);
// Returns a property of an object literal: `name`, or `"name"`.
std::string ts_property(std::string_view name);

// The meaning of the names in a rule.
struct TsScope {
  const design::Entity* entity = nullptr;       // its fields are bare names, which become members of `it`
  std::set<std::string, std::less<>> others{};  // names of variables with fields
  std::set<std::string, std::less<>> locals{};  // names of variables with values
  std::string now = "t.now";
};
// Returns the name of the variable or function for a name of the design.
std::string ts_variable(std::string_view name);
// Returns the name of the interface of an entity.
std::string ts_type_name(std::string_view name);

std::string ts_condition(const design::Rule& rule, const TsScope& scope);
std::string ts_value_of(const design::Rule& rule, const TsScope& scope);

// A filter, with the values it needs: ":f0" → an expression of TypeScript.
struct TsFilter {
  std::string text;
  std::set<std::string> names;  // attributes, which the text writes as #name
  std::vector<std::pair<std::string, std::string>> values;
};
TsFilter ts_filter(const design::Rule& rule, const TsScope& scope);

// Returns the expression of a key, from the members of `of`.
std::string ts_template(const design::Template& from, const design::FieldForms& forms, const std::string& of,
                        Type type);
// Returns a regular expression for the keys of the template, with a group for each field.
std::string ts_pattern(const design::Template& from, const design::FieldForms& forms);

}  // namespace tavola::workshop
