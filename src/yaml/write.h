// A document as text, laid out in the one way in which designs are kept.
//
//   - Two spaces a level, lists included; `{ a: 1, b: [x, y] }` inside; two spaces before a comment beside something.
//   - What was written in brackets stays so while it fits into the line, and is opened into lines otherwise.
//   - Quotes only where a text would be read as something else, by us or, like a date, by other readers of YAML. Texts that filled several lines are folded anew.
//   - Comments stay; of several empty lines one.
//
// parse(write(d)) is the same tree, and write(parse(write(d))) the same text. The document must have no problems; it may also
// be made by hand, without places: then collections are blocks unless their style is Flow, and an empty comment line is
// an empty line.
#pragma once

#include <string>

#include "yaml/parse.h"

namespace tavola::yaml {

// Of a line, in characters; a single long text may exceed it.
inline constexpr std::size_t kColumnsMax = 110;

std::string write(const Document& document);

// A text as it stands behind `key: `, quoted if need be: for those who write YAML of their own.
std::string write_text(std::string_view text);

}  // namespace tavola::yaml
