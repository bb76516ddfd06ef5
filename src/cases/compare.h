// Compares the answer of a call with the expected one.
//
//   - A map: the named fields have these values; null means that the field is missing; other fields may exist. The value of a
//     field is compared as a whole.
//   - A list: exactly these elements, in this order, each compared so.
//   - null: nothing was found.
#pragma once

#include <string>
#include <vector>

#include <tavola/value.h>

namespace tavola::cases {

// One difference, as texts. An empty side has nothing to show.
struct Difference {
  std::string expected;  // currentStock: 98
  std::string found;     // currentStock: 97
};

// Returns no difference if `found`, with sets as lists and bytes as base64, is as expected.
std::vector<Difference> differences(const Value& expected, const Value& found);

}  // namespace tavola::cases
