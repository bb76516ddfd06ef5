// Strict YAML: the subset of YAML 1.2 with one way to write each thing, and its core schema (`no` and `on` are texts).
// Anchors, aliases, tags, merge keys, directives, tabs in indentation and second documents are refused, and so is a key
// that a map has twice. JSON is accepted, too.
//
//   const Document document = parse(text);
//   for (const Problem& problem : document.problems) print(problem);
//
// Parsing continues after a mistake, behind the part that contains it, so that one run reports all mistakes. With
// problems, the tree holds the parts that could be read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace tavola::yaml {

struct Problem {
  Span span;
  std::string_view code;  // "yaml/duplicate-key"
  std::string message;    // what is wrong
  std::string advice;     // what to do
};

struct Document {
  Node root;
  std::vector<Problem> problems;  // in the order of their positions; at most kProblemsMax and one more
  std::vector<std::string> comments_end;  // after everything
};

// Maximum nesting of collections.
inline constexpr int kDepthMax = 64;
// Maximum number of problems kept; one of code "yaml/more" replaces all that follow.
inline constexpr std::size_t kProblemsMax = 100;

// Never fails; accepts any bytes.
Document parse(std::string_view text);

}  // namespace tavola::yaml
