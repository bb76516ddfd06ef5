#include "cli/command/manual.h"

namespace tavola::cli {
namespace {

// Text as roff takes it: a backslash and a leading dot mean something there.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += "\\";
    out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string entry(const Option& option) {
  const std::string value = option.name.starts_with('-') ? option.value_text() : std::string();
  return ".TP\n.B " + (option.letter.empty() ? "" : roff(option.letter) + ", ") + roff(option.name) +
         (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" + roff(option.help) +
         (option.repeats ? "; may be given several times" : "") +
         (option.initial.empty() ? "" : " (default: " + roff(option.initial) + ")") + "\n";
}

}  // namespace

std::string manual_page(const ProgramSpec& program) {
  std::string out =
      ".TH TAVOLA 1\n.SH NAME\n" + program.name + " \\- " + roff(program.help) + "\n.SH SYNOPSIS\n";
  for (const CommandSpec& command : program.commands)
    out += ".B " + roff(usage(program, command)) + "\n.br\n";
  out += ".SH COMMANDS\n";
  for (const CommandSpec& command : program.commands) {
    out += ".SS " + command.name + "\n" + roff(command.help) + ".\n";
    for (const Option& argument : command.arguments) out += entry(argument);
    for (const Option& option : command.options) {
      if (!option.is_hidden) out += entry(option);
    }
    if (!command.notes.empty()) out += ".PP\n" + roff(command.notes) + "\n";
    if (!command.example.empty()) out += ".PP\nExample:\n.br\n.B " + roff(command.example) + "\n";
  }
  out += ".SH OPTIONS OF EVERY COMMAND\n";
  for (const Option& option : program.options) out += entry(option);
  return out + program.manual_sections;
}

}  // namespace tavola::cli
