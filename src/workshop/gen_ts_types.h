// Fields of a design in TypeScript: as types of interfaces, and as forms, by which the runtime checks values.
#pragma once

#include <string>
#include <string_view>

#include "design/model.h"

namespace tavola::workshop {

// "/** … */" behind `indent`; nothing for nothing.
std::string ts_comment(std::string_view text, const std::string& indent = "");
std::string ts_type(const design::Attribute& field);
// `name?: string;` with its comment.
std::string ts_field(const design::Attribute& field, const std::string& indent);
// `{ type: "integer", required: true, min: "1" }`; `otherwise` is an expression for its default.
std::string ts_form(const design::Attribute& field, const std::string& otherwise = "");
// Whether a value of the right type can still be wrong, or is written in another way than it is given.
bool has_bounds(const design::Attribute& field);

}  // namespace tavola::workshop
