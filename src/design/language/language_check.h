// Checks a file's tree against the language: reports every unknown or missing key and every value of the wrong kind, in
// one run.
#pragma once

#include "design/language/language.h"
#include "design/language/problems.h"
#include "yaml/node.h"

namespace tavola::design {

// The readable part of the tree. A mistyped key stands under the name that was probably meant, so that its value is
// checked, too.
struct CheckedTree {
  yaml::Node tree;
  bool is_whole = true;  // false: a part is missing or of the wrong kind; references to it cannot be checked
};

CheckedTree check_language(yaml::Node root, const Shape& shape, Problems& problems);

}  // namespace tavola::design
