#include "cli/manual.h"

namespace tavola::cli {
namespace {

// Text as roff takes it: a backslash and a leading dot mean something there.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\";
    if (c == '-') out += "\\";
    out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

// What the options alone do not tell.
constexpr std::string_view kSections = R"(.SH CREDENTIALS
The file of \-\-credentials has a line for each access key: the key, its secret, and optionally
.B read\-only
and
.BR tables=orders,archive\-* ,
which limit it. A line that begins with # is a comment. The file is read once, at the start; only its owner should be able to
read it.
.PP
.nf
AKIDADMIN    8fK1vYxQm2
AKIDREPORTS  x72bLw0pTc   read\-only
AKIDORDERS   Qs0eRn5kVd   tables=orders,archive\-*
.fi
.SH HTTP
.TP
.B POST /
DynamoDB's operations, as its SDKs send them.
.TP
.B GET /health
Answers while the server runs; whether it can write, the metrics tell.
.TP
.B GET /metrics
Figures for Prometheus. Neither of the two needs a signature.
.SH SIGNALS
SIGTERM and SIGINT: no further requests are taken, those that run are answered, the data is synced, and the program leaves
with 0.
.SH FILES
.TP
.B ./tavola\-data
The data, unless \-\-data or \-\-in\-memory is given. When less than 32 MB are free on its disk, writes are refused until there is
more.
.SH EXIT STATUS
0 when done, 1 when it could not start or failed, 2 when the command line is wrong.
)";

std::string words(const CommandDescription& command) {
  std::string all;
  for (const OptionDescription& option : command.options) all += (all.empty() ? "" : " ") + option.name;
  return all;
}

std::string command_words(const ProgramDescription& program) {
  std::string all;
  for (const CommandDescription& command : program.commands) all += (all.empty() ? "" : " ") + command.name;
  return all;
}

// The help as a single-quoted word of a shell.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_completion(const ProgramDescription& program) {
  const std::string function = "_" + program.name;
  std::string out = function + "() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandDescription& command : program.commands) {
    out += "    " + command.name + ") COMPREPLY=($(compgen -W \"" + words(command) + "\" -- \"$word\")) ;;\n";
  }
  out += "  esac\n  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W \"" + command_words(program) +
         "\" -- \"$word\")); fi\n}\n";
  return out + "complete -o default -F " + function + " " + program.name + "\n";
}

std::string zsh_completion(const ProgramDescription& program) {
  std::string out =
      "#compdef " + program.name + "\n_" + program.name + "() {\n  if ((CURRENT == 2)); then\n    compadd";
  out += " " + command_words(program) + "\n    return\n  fi\n  case $words[2] in\n";
  for (const CommandDescription& command : program.commands) {
    out += "    " + command.name + ") compadd -- " + words(command) + " ; _files ;;\n";
  }
  return out + "  esac\n}\ncompdef _" + program.name + " " + program.name + "\n";
}

std::string fish_completion(const ProgramDescription& program) {
  std::string out;
  for (const CommandDescription& command : program.commands) {
    out += "complete -c " + program.name + " -n __fish_use_subcommand -a " + command.name + " -d " +
           quoted(command.help) + "\n";
    for (const OptionDescription& option : command.options) {
      out += "complete -c " + program.name + " -n '__fish_seen_subcommand_from " + command.name + "' -l " +
             option.name.substr(2) + (option.type.empty() ? "" : " -r") + " -d " + quoted(option.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string manual_page(const ProgramDescription& program) {
  std::string out =
      ".TH TAVOLA 1\n.SH NAME\n" + program.name + " \\- " + roff(program.help) + "\n.SH SYNOPSIS\n";
  for (const CommandDescription& command : program.commands) {
    const bool has_options = command.options.size() > 1;  // besides --help
    out += ".B " + program.name + " " + command.name + "\n" + (has_options ? "[OPTIONS]\n" : "") +
           (command.arguments.empty() ? "" : roff(command.arguments) + "\n") + ".br\n";
  }
  out += ".SH COMMANDS\n";
  for (const CommandDescription& command : program.commands) {
    out += ".SS " + command.name + "\n" + roff(command.help) + "\n";
    for (const OptionDescription& option : command.options) {
      out += ".TP\n.B " + roff(option.name) +
             (option.type.empty() ? "" : " \\fI" + roff(option.type) + "\\fR") + "\n" + roff(option.help) +
             (option.otherwise.empty() ? "" : " (" + roff(option.otherwise) + ")") + "\n";
    }
  }
  return out + std::string(kSections);
}

std::optional<std::string> completion(const ProgramDescription& program, std::string_view shell) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  if (shell == "fish") return fish_completion(program);
  return std::nullopt;
}

}  // namespace tavola::cli
