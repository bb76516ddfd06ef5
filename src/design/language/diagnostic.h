// A diagnostic: an error or a lint of a design, with its position, why it matters and what to do.
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
  Lint,   // the design runs, with surprising behaviour
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;     // "unknown-key", "overlap"
  std::string message;  // the finding: "queries also return Comment"
  std::string why;      // one sentence: why it matters
  std::string advice;   // one sentence: what to do
  std::string file;
  Span span;
};

// Returns the text, cut behind 1,000 characters. A message quotes the design, and the quotation may be very long.
std::string shortened(std::string text);

// Sorts by position in the file.
void sort_by_place(std::vector<Diagnostic>& diagnostics);
bool has_errors(const std::vector<Diagnostic>& diagnostics);

// Returns the text for people: file:line:column, the line of `source` with a caret, why, and what to do. A long line is
// cut to some 200 characters around the position.
std::string to_text(const Diagnostic& diagnostic, std::string_view source);
// Returns the JSON for programs.
std::string to_json(const std::vector<Diagnostic>& diagnostics);
std::string to_sarif(const std::vector<Diagnostic>& diagnostics);

}  // namespace tavola::design
