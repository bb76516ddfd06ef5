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
.SH MEMORY
\-\-memory says how much the server may use. A quarter is for data read from the disk (\-\-cache says otherwise), a quarter for the
bodies of requests and for large answers, up to three thirty\-seconds for data on its way to the disk. What exceeds the second part is
answered with 503, which clients try again. Without \-\-memory the same parts are taken of what the machine has, or the container when it
has less, up to 64 MB, 256 MB and 96 MB. With less than 512 MB the body of one request may have a thirty\-second of the memory instead of
16 MB.
.SH HTTP
.TP
.B POST /
DynamoDB's operations, as its SDKs send them.
.TP
.B GET /health
Answers 200 when the server does its work, and 503 when the store cannot write or a thread is stuck, with JSON that says why. It needs no signature; where one is needed
otherwise, it names no files or tables.
.TP
.B GET /health/live
Answers 200 as long as the process answers: for whoever restarts servers that hang.
.TP
.B GET /metrics
Figures for Prometheus. They name the patterns and operations of designs. They need no signature, unless \-\-metrics\-auth gives a token.
.TP
.B GET /v1/
With \-\-design: the patterns and operations of the designs, for people to read and try;
.B /v1/openapi.json
describes them for programs.
.SH NAMES AND WEB PAGES
A request must call the server by a name it has: localhost and loopback addresses where it listens on one, the name and address of
\-\-host, any address where it listens on all (0.0.0.0), the names in its certificate, and those of \-\-allowed\-host. Any other Host
is answered with 403, since a web page could have pointed its own name at this server. In a network of containers, say
.BR "\-\-allowed\-host dynamodb\-local" .
Unix sockets take any name.
.PP
Web pages of this machine may use the server, pages of other origins only with \-\-cors; no page of another origin may use /admin.
.SH COPYING
FROM and TO of
.B tavola copy
are a data directory, which no server may have open, the URL of a server, or
.BR aws:REGION .
Keys and, for a URL, the region are those of the variables that AWS's tools know (AWS_ACCESS_KEY_ID and so on). A table that is missing is
created, with its indexes, billing, tags and time to live. A copy that was cut goes on with the same command: a file
.B tavola\-copy\-….json
in the working directory, or the one of \-\-state, says where. It is removed when all is copied.
.SH SIGNALS
SIGTERM and SIGINT: no further requests are taken, those that run are answered, the data is synced, and the program leaves
with 0.
.SH FILES
.TP
.B ./tavola\-data
The data, unless \-\-data or \-\-in\-memory is given. When less than 32 MB are free on its disk, writes are refused until there is
more.
.SH EXIT STATUS
0 when done, 1 when it could not start or failed, or when a design has errors, 2 when the command line or a parameter is
wrong, 3 when an operation was refused.
)";

std::string words(const CommandDescription& command) {
  std::string all;
  for (const OptionDescription& option : command.options) all += (all.empty() ? "" : " ") + option.name;
  return all;
}

// "design" of "design check"; empty for a command of one word.
std::string_view family(const CommandDescription& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string::npos ? std::string_view() : std::string_view(command.name).substr(0, space);
}

// The words that may come first, each once, or those that may follow `first`.
std::vector<std::string> next_words(const ProgramDescription& program, std::string_view first = {}) {
  std::vector<std::string> all;
  for (const CommandDescription& command : program.commands) {
    const std::string_view before = family(command);
    if (!first.empty() && before != first) continue;
    std::string word = first.empty() ? command.name.substr(0, command.name.find(' '))
                                     : command.name.substr(before.size() + 1);
    if (all.empty() || all.back() != word) all.push_back(std::move(word));
  }
  return all;
}

std::string listed(const std::vector<std::string>& all) {
  std::string line;
  for (const std::string& word : all) line += (line.empty() ? "" : " ") + word;
  return line;
}

// The first words that do not make a command alone.
std::vector<std::string> families(const ProgramDescription& program) {
  std::vector<std::string> all;
  for (const std::string& word : next_words(program)) {
    if (!next_words(program, word).empty()) all.push_back(word);
  }
  return all;
}

// The help as a single-quoted word of a shell.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_completion(const ProgramDescription& program) {
  const std::string function = "_" + program.name;
  const auto offers = [](const std::string& these) {
    return "COMPREPLY=($(compgen -W \"" + these + "\" -- \"$word\"))";
  };
  std::string out =
      function + "() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n  case \"${COMP_WORDS[*]:1}\" in\n";
  for (const CommandDescription& command : program.commands) {
    out += "    \"" + command.name + " \"*) " + offers(words(command)) + " ;;\n";
  }
  for (const std::string& first : families(program)) {
    out += "    \"" + first + " \"*) " + offers(listed(next_words(program, first))) + " ;;\n";
  }
  out += "  esac\n  if ((COMP_CWORD == 1)); then " + offers(listed(next_words(program))) + "; fi\n}\n";
  return out + "complete -o default -F " + function + " " + program.name + "\n";
}

std::string zsh_completion(const ProgramDescription& program) {
  std::string out =
      "#compdef " + program.name + "\n_" + program.name + "() {\n  if ((CURRENT == 2)); then\n    compadd";
  out += " " + listed(next_words(program)) + "\n    return\n  fi\n  case \"${words[2,-1]}\" in\n";
  for (const CommandDescription& command : program.commands) {
    out += "    \"" + command.name + " \"*) compadd -- " + words(command) + " ; _files ;;\n";
  }
  for (const std::string& first : families(program)) {
    out += "    \"" + first + " \"*) compadd " + listed(next_words(program, first)) + " ;;\n";
  }
  return out + "  esac\n}\ncompdef _" + program.name + " " + program.name + "\n";
}

// When the words so far are a command's: "__fish_seen_subcommand_from design; and __fish_seen_subcommand_from check".
std::string fish_condition(const CommandDescription& command) {
  const std::string_view first = family(command);
  if (first.empty()) return "__fish_seen_subcommand_from " + command.name;
  return "__fish_seen_subcommand_from " + std::string(first) + "; and __fish_seen_subcommand_from " +
         command.name.substr(first.size() + 1);
}

// The line that completes the last word of a command.
std::string fish_word(const std::string& complete, const CommandDescription& command) {
  const std::string first(family(command));
  const std::string word = first.empty() ? command.name : command.name.substr(first.size() + 1);
  const std::string when =
      first.empty() ? "__fish_use_subcommand" : shell_word("__fish_seen_subcommand_from " + first);
  return complete + " -n " + when + " -a " + word + " -d " + shell_word(command.help) + "\n";
}

std::string fish_completion(const ProgramDescription& program) {
  const std::string complete = "complete -c " + program.name;
  std::string out;
  for (const std::string& first : families(program))
    out.append(complete).append(" -n __fish_use_subcommand -a ").append(first).append("\n");
  for (const CommandDescription& command : program.commands) {
    out += fish_word(complete, command);
    for (const OptionDescription& option : command.options) {
      out += complete + " -n " + shell_word(fish_condition(command)) + " -l " + option.name.substr(2) +
             (option.type.empty() ? "" : " -r") + " -d " + shell_word(option.help) + "\n";
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
