// A design written out for people: Markdown as GitHub shows it, with lifecycles as Mermaid diagrams. The same design gives
// the same text.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

std::string docs(const design::Design& design);

}  // namespace tavola::workshop
