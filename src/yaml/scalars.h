// How scalars are written. Each function stands on the first character of one, reads it, and says in `problem` what is wrong
// with it (of its message and advice; the span is given where the fault is narrower than the scalar).
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
// | and > with what stands below, indented by at least `indent_min`.
Node read_block_scalar(Source& in, std::uint32_t indent_min, Fault& fault);

enum class Context : std::uint8_t { Block, Flow };
// The part of a plain scalar on this line: up to ": ", " #" or the line's end; in a flow also up to , [ ] { }.
std::string_view read_plain_line(Source& in, Context context);
// What a plain text means in the core schema.
Kind plain_kind(std::string_view text);

}  // namespace tavola::yaml
