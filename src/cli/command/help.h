// --help: the program, a family of commands, or one command.
#pragma once

#include <string>
#include <string_view>

#include "cli/command/spec.h"

namespace tavola::cli {

// `topic` is a command, a family, or empty for the whole program.
std::string help_text(const ProgramSpec& program, std::string_view topic);

}  // namespace tavola::cli
