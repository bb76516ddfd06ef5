// Strict YAML: the part of YAML 1.2 that says one thing in one way, with its core schema (`no` and `on` are texts). There
// are no anchors, aliases, tags, merge keys, directives, tabs in indentation or second documents, and a key may stand only
// once in a map. JSON is such YAML, too.
//
//   const Document document = parse(text);
//   for (const Problem& problem : document.problems) print(problem);
//
// A mistake does not end the reading: what follows the part in which it stands is read as well, so that one run shows all
// mistakes. With problems, the tree holds what could be read.
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
  std::vector<Problem> problems;          // in the order of their places; at most kProblemsMax and one more
  std::vector<std::string> comments_end;  // behind everything
};

// Collections inside collections.
inline constexpr int kDepthMax = 64;
// Problems that are kept; one of code "yaml/more" stands for all that follow.
inline constexpr std::size_t kProblemsMax = 100;

// Never fails and reads any bytes.
Document parse(std::string_view text);

}  // namespace tavola::yaml
