// Rules and templates of a design as JSON, for runtimes that evaluate them: ["is", "<", ["it", "stock"], ["value", 3]].
//
//   ["it", "a", "b", 0]      a path in the fields of the entity        ["value", 1]         a literal, as plain JSON
//   ["name", "product", "x"] one in an item that was read or written   ["param", "x"]       a parameter
//   ["call", "lower", …]     a function, by its name in rules          ["and" | "or" | "not", …]
//   ["is", "<", left, right] a comparison                              ["between", …], ["in", value, …]
#pragma once

#include <set>
#include <string>

#include "design/model/model.h"
#include "json/writer.h"

namespace tavola::workshop {

// The meaning of the names in a rule.
struct TreeScope {
  const design::Entity* entity = nullptr;      // its fields are bare names
  std::string entity_is{};                     // the name of the item with these fields; empty: `it`
  std::set<std::string, std::less<>> names{};  // items that were read or written, elements of lists
};

void write_condition(json::Writer& json, const design::Rule& rule, const TreeScope& scope);
// `in_seconds`: a time that the rule computes, which is in milliseconds, becomes one in seconds.
struct ValueTree {
  const design::Rule& rule;
  bool in_seconds = false;
};
void write_value(json::Writer& json, const ValueTree& value, const TreeScope& scope);

// Writes a list of texts and placeholders: ["SHOP#", {"field": "shopId"}].
void write_template(json::Writer& json, const design::Template& from, const design::FieldForms& forms);

}  // namespace tavola::workshop
