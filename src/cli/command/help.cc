#include "cli/command/help.h"

#include <algorithm>

namespace tavola::cli {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kHelpColumn = 28;

// Broken at spaces; lines but the first are indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

// A name, and what it means beside it, or below when the name is long.
std::string row(const std::string& name, const std::string& help) {
  std::string line = "  " + name;
  line += line.size() + 2 > kHelpColumn ? "\n" + std::string(kHelpColumn, ' ')
                                        : std::string(kHelpColumn - line.size(), ' ');
  return line + wrapped(help, kHelpColumn) + "\n";
}

std::string row(const Option& option) {
  std::string name = (option.letter.empty() ? "" : option.letter + ", ") + option.name;
  const std::string value = option.value_text();
  if (option.name.starts_with('-') && !value.empty())
    name += option.value_if_left_out.empty() ? " " + value : " [" + value + "]";
  if (!option.name.starts_with('-') && !option.choices.empty()) name = value;
  std::string help = option.help;
  if (option.repeats && option.name.starts_with('-')) help += "; may be given several times";
  if (!option.initial.empty()) help += " [default: " + option.initial + "]";
  return row(name, help);
}

std::string general_rows(const ProgramSpec& program) {
  std::string text = "\nGeneral:\n" + row("-h, --help", "Print this help");
  for (const Option& option : program.options) text += row(option);
  return text;
}

std::string command_help(const ProgramSpec& program, const CommandSpec& command) {
  std::string text = wrapped(command.help + ".", 0) + "\n\nUsage: " + usage(program, command) + "\n";
  if (!command.arguments.empty()) text += "\nArguments:\n";
  for (const Option& argument : command.arguments) text += row(argument);
  std::vector<std::string> groups;
  for (const Option& option : command.options) {
    if (!option.is_hidden && std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  }
  for (const std::string& group : groups) {
    text += "\n" + group + ":\n";
    for (const Option& option : command.options) {
      if (!option.is_hidden && option.group == group) text += row(option);
    }
  }
  text += general_rows(program);
  if (!command.notes.empty()) text += "\n" + wrapped(command.notes, 0) + "\n";
  if (!command.example.empty()) text += "\nExample:\n  " + command.example + "\n";
  return text;
}

std::string listed(const std::vector<Listed>& words) {
  std::string text = "\nCommands:\n";
  for (const Listed& next : words) text += row(next.word, next.help);
  return text;
}

}  // namespace

std::string help_text(const ProgramSpec& program, std::string_view topic) {
  if (const CommandSpec* command = program.find(topic)) return command_help(program, *command);
  if (const Family* family = program.find_family(topic)) {
    return family->help + ".\n\nUsage: " + program.name + " " + family->name + " COMMAND\n" +
           listed(next_words(program, topic)) + "\n`" + program.name + " help " + family->name +
           " COMMAND` explains a command.\n";
  }
  return program.help + "\n\nUsage: " + program.name + " COMMAND\n" + listed(next_words(program)) +
         general_rows(program) + row("-V, --version", "Print the version") + "\n" + program.footer + "\n";
}

}  // namespace tavola::cli
