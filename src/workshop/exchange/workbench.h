// Models of NoSQL Workbench, in and out. A facet is an entity; its aliases are the key templates.
//
// A model says things that a design does not: its author, colours of facets, formats of sample data, whatever a later version
// adds. Import writes them as one line of JSON into a comment at the end of the design, behind "# workbench: "; export reads
// that line back. So a model that goes through a design comes out with all it had.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::workshop {

// A design that was made from something else.
struct Imported {
  std::string name;
  std::string text;
};

// One design for each table of the model. Fails with Validation when the text is no model.
Result<std::vector<Imported>> import_workbench(std::string_view json);

// `text` is the design's own, for what import left there. The items are sample data; without any, the examples are.
Result<std::string> export_workbench(const design::Design& design, std::string_view text,
                                     const std::vector<Item>& items);

}  // namespace tavola::workshop
