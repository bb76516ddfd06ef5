// From the text of a file to a design, with everything that is wrong with it in one run.
//
//   text ─▶ yaml::parse ─▶ tree ─▶ check against the language (language.h) ─▶ read (read_*.cc) ─▶ Design ─▶ validate ─▶ lints
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/diagnostic.h"
#include "design/model.h"

namespace tavola::design {

struct Loaded {
  std::optional<Design> design;  // only without errors
  std::vector<Diagnostic>
      diagnostics;  // in the order of their places; lints that are accepted are not among them
};

// Never fails and reads any bytes. `file` is for messages.
Loaded load(std::string_view text, std::string file);

}  // namespace tavola::design
