// A design as the console's pages read it (console/designs/api.ts).
#pragma once

#include <string>
#include <string_view>

#include "design/model/model.h"

namespace tavola::server {

// A design with all that its page shows beside it.
struct ShownDesign {
  const design::Design& design;
  std::string governance;  // JSON: governance_page.h
  std::string cases{};     // the text of its test cases; empty: none are known
};
// {"name", "table", "title", "doc", "file", "text", "docs": Markdown, "cases": text or null, "entities": […], "patterns": […],
//  "operations": […], "lints": […], "governance": {…}}
std::string to_json(const ShownDesign& shown);

}  // namespace tavola::server
