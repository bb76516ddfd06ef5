// A file's tree against the language: every key that is unknown or missing and every value of the wrong kind, in one run.
#pragma once

#include "design/language/language.h"
#include "design/language/problems.h"
#include "yaml/node.h"

namespace tavola::design {

// What could be understood: mistyped keys stand under the name that was probably meant, so that what they hold is checked, too.
struct CheckedTree {
  yaml::Node tree;
  bool is_whole =
      true;  // false: something is missing or of the wrong kind, and what refers to it cannot be checked
};

CheckedTree check_language(yaml::Node root, const Shape& shape, Problems& problems);

}  // namespace tavola::design
