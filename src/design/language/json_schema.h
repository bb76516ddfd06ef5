// The JSON Schema of the design language, for editors.
#pragma once

#include <string>

namespace tavola::design {

// Draft 2020-12. Made from the tables of language.h.
std::string json_schema();

}  // namespace tavola::design
