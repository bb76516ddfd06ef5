// The documentation of a design for people: Markdown as GitHub shows it, with lifecycles as Mermaid diagrams. Equal
// designs give equal texts.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

std::string docs(const design::Design& design);

}  // namespace tavola::workshop
