// Loads a design from the text of a file, and reports all its mistakes in one run.
//
//   text ─▶ yaml::parse ─▶ tree ─▶ check against the language (language.h) ─▶ read (read_*.cc) ─▶ Design ─▶ validate ─▶ lints
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/diagnostic.h"
#include "design/model/model.h"

namespace tavola::design {

struct Loaded {
  std::optional<Design> design;         // only without errors
  std::vector<Diagnostic> diagnostics;  // in the order of their positions, without accepted lints
};

// The maximum size of a design.
inline constexpr std::size_t kDesignBytesMax = std::size_t{1} << 20;

// Reads any bytes and never fails. `file` is for messages.
Loaded load(std::string_view text, std::string file);
// Loads a design that the database stored, perhaps in an earlier version. Rules that are newer do not refuse it (Origin in
// problems.h): mistakes that earlier versions accepted (may_be_stored) are among the diagnostics but do not prevent the
// design, its size is not bounded, and its examples are not checked.
Loaded load_stored(std::string_view text, std::string file);

}  // namespace tavola::design
