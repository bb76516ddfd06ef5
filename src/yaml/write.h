// Writes a document as text, in the one layout of designs.
//
//   - Two spaces per level, also in lists; `{ a: 1, b: [x, y] }` inside; two spaces before a comment beside something.
//   - A collection in brackets stays in brackets if it fits into the line, and is otherwise written as a block.
//   - Quotes only where a text would be read as something else, by us or, like a date, by other readers of YAML. Texts over several lines are folded again.
//   - Comments are kept; several empty lines become one.
//
// parse(write(d)) is the same tree, and write(parse(write(d))) the same text. The document must have no problems; it
// may also be built by hand, without positions: then collections are blocks unless their style is Flow, and an empty
// comment line is an empty line.
#pragma once

#include <string>

#include "yaml/parse.h"

namespace tavola::yaml {

// Maximum columns of a line, in characters; a single long text may exceed it.
inline constexpr std::size_t kColumnsMax = 110;

std::string write(const Document& document);

// Returns a text as it is written after `key: `, quoted if necessary, for other writers of YAML.
std::string write_text(std::string_view text);

}  // namespace tavola::yaml
