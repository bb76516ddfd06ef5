// Colours on a terminal, sparingly: errors are red and warnings yellow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tavola::cli {

enum class ColorMode : std::uint8_t { Auto, Always, Never };

// Whether output to this descriptor is coloured. Auto means: on a terminal, unless the variable NO_COLOR is set (no-color.org) or
// TERM is "dumb".
bool is_colored(ColorMode mode, int descriptor);

// Colours the words that begin a line and say how bad it is: `tavola:`, `error`, `warning`.
std::string colored(std::string_view text);

}  // namespace tavola::cli
