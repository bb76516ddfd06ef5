// The manual page and the shell completions, made from the same description as the command line itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::cli {

struct OptionDescription {
  std::string name;  // "--port"
  std::string type;  // "N"; empty for a flag
  std::string help;
  std::string otherwise;  // what it is when not given; empty: nothing to say
};

struct CommandDescription {
  std::string name;
  std::string help;
  std::string arguments;  // "bash|zsh|fish"; empty: none
  std::vector<OptionDescription> options;
};

struct ProgramDescription {
  std::string name;
  std::string help;
  std::vector<CommandDescription> commands;
};

// roff, for man(1).
std::string manual_page(const ProgramDescription& program);
// A script for "bash", "zsh" or "fish"; nothing for another shell.
std::optional<std::string> completion(const ProgramDescription& program, std::string_view shell);

}  // namespace tavola::cli
