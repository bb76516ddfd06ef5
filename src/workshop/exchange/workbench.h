// Models of NoSQL Workbench, in and out. A facet is an entity; its aliases are the key templates.
//
// A model has properties that a design lacks: its author, colours of facets, formats of sample data, additions of later
// versions. Import writes them as one line of JSON into a comment at the end of the design, after "# workbench: ";
// export reads that line back. So a model survives the way through a design unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::workshop {

// A design made from another format.
struct Imported {
  std::string name;
  std::string text;
};

// Returns one design for each table of the model. Fails with Validation if the text is not a model.
Result<std::vector<Imported>> import_workbench(std::string_view json);

// Exports a model. `text` is the text of the design, with the comment that import wrote. The items are sample data;
// without any, the examples are.
Result<std::string> export_workbench(const design::Design& design, std::string_view text,
                                     const std::vector<Item>& items);

}  // namespace tavola::workshop
