#include "cli/command/completions.h"

namespace tavola::cli {
namespace {

using Words = std::vector<std::string>;

std::string listed(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// The words behind `family`, or the first words of all commands.
Words words_after(const ProgramSpec& program, std::string_view family = {}) {
  Words words;
  for (const Listed& next : next_words(program, family)) words.push_back(next.word);
  return words;
}

// The options of a command that are shown, those of every command included.
std::vector<const Option*> options_of(const ProgramSpec& program, const CommandSpec& command) {
  std::vector<const Option*> options;
  for (const Option& option : command.options) {
    if (!option.is_hidden) options.push_back(&option);
  }
  for (const Option& option : program.options) options.push_back(&option);
  return options;
}

Words names_of(const std::vector<const Option*>& options) {
  Words names;
  for (const Option* option : options) names.push_back(option->name);
  names.emplace_back("--help");
  return names;
}

// The values that the arguments of a command can have; empty where any will do.
Words choices_of(const CommandSpec& command) {
  Words words;
  for (const Option& argument : command.arguments)
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  return words;
}

// "--output|-o": an option where its value is completed.
std::string pattern_of(const Option& option) {
  return option.name + (option.letter.empty() ? "" : "|" + option.letter);
}

bool is_directory(const Option& option) { return option.value == "DIR"; }
bool is_file(const Option& option) {
  return option.value == "FILE" || option.value == "PATH" || option.value == "PLACE";
}

// The help as a single-quoted word of a shell.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// ---- bash: where COMPREPLY stays empty, `-o default` completes files ----

std::string bash_words(const Words& words) {
  return "COMPREPLY=($(compgen -W \"" + listed(words) + "\" -- \"$word\"))";
}

std::string bash_command(const ProgramSpec& program, const CommandSpec& command) {
  const auto options = options_of(program, command);
  std::string out = "    \"" + command.name + " \"*)\n      case \"$before\" in\n";
  for (const Option* option : options) {
    if (option->is_flag()) continue;
    out += "        " + pattern_of(*option) + ") " +
           (!option->choices.empty() ? bash_words(option->choices) + "; "
            : is_directory(*option)  ? "COMPREPLY=($(compgen -d -- \"$word\")); "
                                     : "") +
           "return ;;\n";
  }
  out += "      esac\n";
  const bool takes_arguments = !command.arguments.empty();
  if (takes_arguments) out += "      if [[ $word != -* ]]; then ";
  if (takes_arguments) {
    const Words choices = choices_of(command);
    out += (choices.empty() ? "" : bash_words(choices) + "; ") + "return; fi\n";
  }
  return out + "      " + bash_words(names_of(options)) + " ;;\n";
}

std::string bash_completion(const ProgramSpec& program) {
  const std::string function = "_" + program.name;
  std::string out = function +
                    "() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then "
                    "before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                    "  local line=\"${COMP_WORDS[*]:1:COMP_CWORD-1} \"\n"
                    "  COMPREPLY=()\n  case \"${line#help }\" in\n";
  for (const CommandSpec& command : program.commands) out += bash_command(program, command);
  for (const Family& family : program.families) {
    out += "    \"" + family.name + " \"*) " + bash_words(words_after(program, family.name)) + " ;;\n";
  }
  Words first = words_after(program);
  first.insert(first.end(), {"help", "--help", "--version"});
  out += "    *) " + bash_words(first) + " ;;\n  esac\n}\n";
  return out + "complete -o default -F " + function + " " + program.name + "\n";
}

// ---- zsh ----

std::string zsh_value(const Option& option) {
  if (!option.choices.empty()) return "compadd -- " + listed(option.choices);
  if (is_directory(option)) return "_files -/";
  return is_file(option) ? "_files" : "";
}

std::string zsh_command(const ProgramSpec& program, const CommandSpec& command) {
  const auto options = options_of(program, command);
  std::string out = "    \"" + command.name + " \"*)\n      case \"${words[CURRENT-1]}\" in\n";
  for (const Option* option : options) {
    if (option->is_flag()) continue;
    const std::string value = zsh_value(*option);
    out += "        " + pattern_of(*option) + ") " + value + (value.empty() ? "" : "; ") + "return ;;\n";
  }
  out += "      esac\n      if [[ ${words[CURRENT]} == -* ]]; then compadd -- " + listed(names_of(options)) +
         "; return; fi\n";
  const Words choices = choices_of(command);
  if (!choices.empty()) out += "      compadd -- " + listed(choices) + "\n";
  return out +
         (command.arguments.empty() ? "      compadd -- " + listed(names_of(options)) : "      _files") +
         " ;;\n";
}

std::string zsh_completion(const ProgramSpec& program) {
  std::string out = "#compdef " + program.name + "\n_" + program.name +
                    "() {\n  if ((CURRENT == 2)); then\n    compadd help";
  out += " " + listed(words_after(program)) + "\n    return\n  fi\n  case \"${words[2,CURRENT-1]} \" in\n";
  for (const CommandSpec& command : program.commands) out += zsh_command(program, command);
  for (const Family& family : program.families) {
    out += "    \"" + family.name + " \"*) compadd " + listed(words_after(program, family.name)) + " ;;\n";
  }
  return out + "  esac\n}\ncompdef _" + program.name + " " + program.name + "\n";
}

// ---- fish ----

// "design" of "design check"; empty for a command of one word.
std::string family_of(const CommandSpec& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string::npos ? std::string() : command.name.substr(0, space);
}

// When the words so far are a command's: "__fish_seen_subcommand_from design; and __fish_seen_subcommand_from check".
std::string fish_condition(const CommandSpec& command) {
  const std::string first = family_of(command);
  if (first.empty()) return "__fish_seen_subcommand_from " + command.name;
  return "__fish_seen_subcommand_from " + first + "; and __fish_seen_subcommand_from " +
         command.name.substr(first.size() + 1);
}

// The line that completes the last word of a command.
std::string fish_word(const std::string& complete, const CommandSpec& command) {
  const std::string first = family_of(command);
  const std::string word = first.empty() ? command.name : command.name.substr(first.size() + 1);
  const std::string when =
      first.empty() ? "__fish_use_subcommand" : shell_word("__fish_seen_subcommand_from " + first);
  return complete + " -n " + when + " -a " + word + " -d " + shell_word(command.help) + "\n";
}

// Whether a value follows, and with what it is completed.
std::string fish_value(const Option& option) {
  if (option.is_flag()) return "";
  if (!option.choices.empty()) return " -x -a " + shell_word(listed(option.choices));
  if (is_directory(option)) return " -x -a '(__fish_complete_directories)'";
  return is_file(option) ? " -r -F" : " -x";
}

std::string fish_completion(const ProgramSpec& program) {
  const std::string complete = "complete -c " + program.name;
  std::string out;
  for (const Family& family : program.families) {
    out += complete + " -n __fish_use_subcommand -a " + family.name + " -d " + shell_word(family.help) + "\n";
  }
  for (const CommandSpec& command : program.commands) {
    out += fish_word(complete, command);
    const std::string when = complete + " -n " + shell_word(fish_condition(command));
    if (const Words choices = choices_of(command); !choices.empty())
      out += when + " -a " + shell_word(listed(choices)) + "\n";
    for (const Option* option : options_of(program, command)) {
      out += when + " -l " + option->name.substr(2) +
             (option->letter.empty() ? "" : " -s " + option->letter.substr(1)) + fish_value(*option) +
             " -d " + shell_word(option->help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> completion(const ProgramSpec& program, std::string_view shell) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  if (shell == "fish") return fish_completion(program);
  return std::nullopt;
}

}  // namespace tavola::cli
