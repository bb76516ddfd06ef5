// The commands of a program as data. The words of a command line are parsed by this description (parse.h), and --help, the
// manual page and the completions are written from it, so that they always agree.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tavola/error.h>

namespace tavola::cli {

// An option like `--port N`, a flag like `--quiet`, or an argument like `FILE`.
struct Option {
  std::string name{};                  // "--port"; of an argument "FILE"
  std::string letter{};                // "-o"; empty: none
  std::vector<std::string> aliases{};  // older names: accepted, and never shown
  std::string value{};                 // "N"; empty for a flag
  std::string help{};
  std::string group{};                 // heading in --help
  std::vector<std::string> choices{};  // the only values; empty: any
  std::string initial{};               // default value, as --help shows it; empty: none
  std::string value_if_left_out{};     // makes the value optional: `--cors` means `--cors *`
  bool is_required = false;
  bool repeats = false;  // may be given several times
  bool is_hidden = false;
  // Takes a value; a flag takes "true" or "false". Fails with the rest of a sentence that begins with the option's name:
  // "must be a number from 0 to 65535".
  std::function<Result<void>(const std::string&)> set{};

  bool is_flag() const { return value.empty() && choices.empty(); }
  // "N", or the choices: "text|json".
  std::string value_text() const;
};

struct CommandSpec {
  std::string name{};  // "design check"
  std::string help{};  // one sentence, without its full stop
  std::vector<Option> arguments{};
  std::vector<Option> options{};
  std::string notes{};                    // paragraphs below the options; empty: none
  std::string example{};                  // a command line
  std::function<Result<void>()> check{};  // after all values are set; empty: nothing to check
  std::function<void()> choose{};         // the command was given, and everything about it is right
};

// The first word of several commands: "design".
struct Family {
  std::string name{};
  std::string help{};
};

struct ProgramSpec {
  std::string name{};
  std::string help{};
  std::string footer{};
  std::vector<Option> options{};  // that every command takes
  std::vector<Family> families{};
  std::vector<CommandSpec> commands{};
  std::string manual_sections{};  // roff, behind the commands

  const CommandSpec* find(std::string_view name) const;
  const Family* find_family(std::string_view name) const;
};

// The commands of a family, or for an empty name those of one word, with the families between them, as they were described.
struct Listed {
  std::string word;  // "check"
  std::string help;
};
std::vector<Listed> next_words(const ProgramSpec& program, std::string_view family = {});

// "tavola run FILE [NAME] [k=v…]": a command as it is written.
std::string usage(const ProgramSpec& program, const CommandSpec& command);

}  // namespace tavola::cli
