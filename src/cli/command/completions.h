// Completion scripts for shells, written from the description of the commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command/spec.h"

namespace tavola::cli {

// A script for "bash", "zsh" or "fish"; nothing for another shell. Commands, options, the values that an option takes and files
// are completed.
std::optional<std::string> completion(const ProgramSpec& program, std::string_view shell);

}  // namespace tavola::cli
