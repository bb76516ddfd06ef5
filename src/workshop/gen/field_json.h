// The parts of a design as JSON (design_json.h) that its sections share: fields, parameters and assignments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/model/model.h"
#include "json/writer.h"
#include "workshop/gen/rule_tree.h"

namespace tavola::workshop {

// Returns the type of a key attribute: "S", "N" or "B".
std::string_view type_letter(Type type);
bool counts_seconds(const design::Attribute* field);

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts);
// Writes the members that fields and parameters share.
void write_form(json::Writer& json, const design::Attribute& field);
void write_parameters(json::Writer& json, const std::vector<design::Parameter>& parameters);
void write_assignments(json::Writer& json, const std::vector<design::Assignment>& all,
                       const TreeScope& scope);

}  // namespace tavola::workshop
