// Fields of a design in TypeScript: as types of interfaces, and as forms, by which the runtime checks values.
#pragma once

#include <string>
#include <string_view>

#include "design/model/model.h"

namespace tavola::workshop {

// "/** … */" behind `indent`; nothing for nothing.
std::string ts_comment(std::string_view text, const std::string& indent = "");
std::string ts_type(const design::Attribute& field);
// `name?: string;` with its comment.
std::string ts_field(const design::Attribute& field, const std::string& indent);
// What a form says that the field itself does not: an expression for its default, and how a key has it ("desc").
struct TsFormExtras {
  std::string otherwise = {};
  std::string in_key = {};
};
// `{ type: "integer", required: true, min: "1" }`.
std::string ts_form(const design::Attribute& field, const TsFormExtras& extras = {});
// Whether a value of the right type can still be wrong, or is written in another way than it is given.
bool has_bounds(const design::Attribute& field);

}  // namespace tavola::workshop
