// Readers of scalars. Each function starts at the first character of a scalar, reads it, and sets `fault` if it is
// malformed (message and advice; also the span if the fault is narrower than the scalar).
#pragma once

#include <optional>

#include "yaml/node.h"
#include "yaml/parse.h"
#include "yaml/source.h"

namespace tavola::yaml {

using Fault = std::optional<Problem>;

// 'it''s' and "tab\t", also over several lines.
Node read_single_quoted(Source& in, Fault& fault);
Node read_double_quoted(Source& in, Fault& fault);
// Block scalars: | or > with the lines below, indented by at least `indent_min`.
Node read_block_scalar(Source& in, std::uint32_t indent_min, Fault& fault);

enum class Context : std::uint8_t { Block, Flow };
// The part of a plain scalar on this line: up to ": ", " #" or the line's end; in a flow also up to , [ ] { }.
std::string_view read_plain_line(Source& in, Context context);
// The kind of a plain text in the core schema.
Kind plain_kind(std::string_view text);

}  // namespace tavola::yaml
