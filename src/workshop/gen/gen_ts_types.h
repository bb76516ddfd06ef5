// Fields of a design in TypeScript: as types of interfaces, and as forms, by which the runtime checks values.
#pragma once

#include <string>
#include <string_view>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns "/** … */" after `indent`; empty for an empty text.
std::string ts_comment(std::string_view text, const std::string& indent = "");
std::string ts_type(const design::Attribute& field);
// Returns `name?: string;` with its comment.
std::string ts_field(const design::Attribute& field, const std::string& indent);
// Properties of a form that the field itself lacks: an expression for its default, and its format in a key
// ("desc").
struct TsFormExtras {
  std::string otherwise = {};
  std::string in_key = {};
};
// Returns `{ type: "integer", required: true, min: "1" }`.
std::string ts_form(const design::Attribute& field, const TsFormExtras& extras = {});
// Returns whether a value of the right type can still be wrong, or is stored in another form than it is
// given.
bool has_bounds(const design::Attribute& field);

}  // namespace tavola::workshop
