// The part of the command line that is about designs: `tavola design`, `gen` and `run`.
#pragma once

#include "cli/command_line.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace tavola::cli {

// Adds the commands to the program. When one is given, it is put into `chosen`.
void add_design_commands(CLI::App& program, Command& chosen);
// The same for `tavola archive`.
void add_archive_commands(CLI::App& program, Command& chosen);
// The same for `tavola copy`.
void add_copy_command(CLI::App& program, Command& chosen);
void add_repair_command(CLI::App& program, Command& chosen);

}  // namespace tavola::cli
