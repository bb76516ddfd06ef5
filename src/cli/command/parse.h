// Parses the words of a command line by the description of the program's commands.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/command/spec.h"

namespace tavola::cli {

// An option or argument that was given, and its value.
struct Given {
  const Option* option;
  std::string value;
};

// A command line with the values that apply() will set.
struct ParsedWords {
  std::string topic{};                   // the command or family that was named; empty: none
  const CommandSpec* command = nullptr;  // null: none, or only a family
  bool asks_for_help = false;
  bool asks_for_version = false;
  std::vector<Given> options{};    // of the command, in the order they were given
  std::vector<Given> arguments{};  // likewise

  // The last value given for an option; null if it was not given.
  const std::string* value_of(std::string_view option) const;
};

// A mistake in a command line.
struct UsageError {
  std::string message;
  std::string topic;  // the command whose --help may explain it; empty: the program's
};

// Finds the command and its options, and sets the options that every command takes. Options may stand anywhere behind the command; `--` ends them. Fails for unknown commands and
// options, with the one that may have been meant, and for values that are missing.
std::expected<ParsedWords, UsageError> parse_words(const ProgramSpec& program,
                                                   const std::vector<std::string>& words);

// Sets the values, `before` first, and checks that nothing is missing. The command is then chosen.
std::expected<void, UsageError> apply(const ParsedWords& parsed, const std::vector<Given>& before = {});

// The options in a config file: a line `name = value` each, named as on the command line but without the dashes. A line that
// begins with # is a comment. Fails with Validation for anything that is not an option of the command.
Result<std::vector<Given>> read_config(const std::string& file, const CommandSpec& command);

// The option of this name or alias; null if there is none.
const Option* find_option(const std::vector<Option>& options, std::string_view name);

}  // namespace tavola::cli
