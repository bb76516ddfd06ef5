// What is wrong with a design, or will surprise: where, why it matters and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace tavola::design {

using yaml::Span;

enum class Severity : std::uint8_t {
  Error,  // the design cannot run
  Lint,   // it runs and will surprise
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;     // "unknown-key", "overlap"
  std::string message;  // what is the case: "queries also return Comment"
  std::string why;      // one sentence: why it matters
  std::string advice;   // one sentence: what to do
  std::string file;
  Span span;
};

// Returns the text, cut behind 1,000 characters. A message quotes what stands in the design, which may be very long.
std::string shortened(std::string text);

// In the order of their places.
void sort_by_place(std::vector<Diagnostic>& diagnostics);
bool has_errors(const std::vector<Diagnostic>& diagnostics);

// For people: file:line:column, the line of `source` with a caret under the place, why, and what to do. Of a long line, some
// 200 characters around the place are shown.
std::string to_text(const Diagnostic& diagnostic, std::string_view source);
// For programs.
std::string to_json(const std::vector<Diagnostic>& diagnostics);
std::string to_sarif(const std::vector<Diagnostic>& diagnostics);

}  // namespace tavola::design
