// The part of the command line that is about files: `tavola dump` and `load`.
#pragma once

#include "cli/command_line.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace tavola::cli {

// Adds the commands to the program. When one is given, it is put into `chosen`.
void add_file_commands(CLI::App& program, Command& chosen);

}  // namespace tavola::cli
