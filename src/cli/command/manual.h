// The manual page, written from the description of the commands.
#pragma once

#include <string>

#include "cli/command/spec.h"

namespace tavola::cli {

// roff, for man(1).
std::string manual_page(const ProgramSpec& program);

}  // namespace tavola::cli
