// The JSON Schema of the design language, for editors.
#pragma once

#include <string>

namespace tavola::design {

// Returns the schema (Draft 2020-12), made from the tables of language.h.
std::string json_schema();

}  // namespace tavola::design
