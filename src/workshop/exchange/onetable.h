// Schemas of OneTable (format onetable:1.1.0), in and out. A model is an entity, a value template ${id} the placeholder <id>.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns the text of a design. A schema does not name its table; `name` does. Schemas are JSON here: types are texts
// ("String" or "string"), and regular expressions stand between slashes. Features that a design lacks (encryption,
// packing, functions) are listed in comments. Fails with Validation if the text is not such a schema.
Result<std::string> import_onetable(std::string_view json, std::string_view name);

std::string export_onetable(const design::Design& design);

}  // namespace tavola::workshop
