#include "cli/command/spec.h"

#include <algorithm>

namespace tavola::cli {

std::string Option::value_text() const {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : "|") + choice;
  return text.empty() ? value : text;
}

const CommandSpec* ProgramSpec::find(std::string_view wanted) const {
  const auto found = std::ranges::find(commands, wanted, &CommandSpec::name);
  return found == commands.end() ? nullptr : &*found;
}

const Family* ProgramSpec::find_family(std::string_view wanted) const {
  const auto found = std::ranges::find(families, wanted, &Family::name);
  return found == families.end() ? nullptr : &*found;
}

std::vector<Listed> next_words(const ProgramSpec& program, std::string_view family) {
  std::vector<Listed> words;
  for (const CommandSpec& command : program.commands) {
    const std::size_t space = command.name.find(' ');
    const std::string first = command.name.substr(0, space);
    if (!family.empty()) {
      if (first == family) words.push_back({command.name.substr(space + 1), command.help});
    } else if (space == std::string::npos) {
      words.push_back({first, command.help});
    } else if (std::ranges::find(words, first, &Listed::word) == words.end()) {
      const Family* known = program.find_family(first);
      words.push_back({first, known == nullptr ? std::string() : known->help});
    }
  }
  return words;
}

std::string usage(const ProgramSpec& program, const CommandSpec& command) {
  std::string line = program.name + " " + command.name;
  for (const Option& argument : command.arguments) {
    const std::string name =
        (argument.choices.empty() ? argument.name : argument.value_text()) + (argument.repeats ? "…" : "");
    line += argument.is_required ? " " + name : " [" + name + "]";
  }
  const bool has_options =
      std::ranges::any_of(command.options, [](const Option& option) { return !option.is_hidden; });
  return line + (has_options ? " [OPTIONS]" : "");
}

}  // namespace tavola::cli
