#include "cli/command/parse.h"

#include <algorithm>
#include <optional>

#include "design/model/nearest.h"

namespace tavola::cli {
namespace {

using std::unexpected;

// Sets a value. Returns the sentence that says what is wrong with it; nothing if it is right.
std::optional<std::string> set(const Given& given) {
  const Result<void> done = given.option->set(given.value);
  if (done) return std::nullopt;
  return given.option->name + " " + done.error().message() + " (was " +
         (given.value.empty() ? "empty" : given.value) + ")";
}

// One pass over the words.
class Parser {
 public:
  Parser(const ProgramSpec& program, const std::vector<std::string>& words)
      : program_(program), words_(words) {}

  std::expected<ParsedWords, UsageError> parse() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      const bool is_option = !options_have_ended_ && word.size() > 1 && word.starts_with('-');
      const bool is_read = word == "--" && is_option ? end_options() : is_option ? option(word) : plain(word);
      if (!is_read) return unexpected(UsageError{std::move(problem_), parsed_.topic});
    }
    return std::move(parsed_);
  }

 private:
  bool wrong(std::string message) {
    problem_ = std::move(message);
    return false;
  }

  bool end_options() {
    options_have_ended_ = true;
    return true;
  }

  // The name of a command, or an argument of one.
  bool plain(const std::string& word) {
    if (parsed_.command != nullptr) return argument(word);
    if (parsed_.topic.empty() && word == "help") {
      parsed_.asks_for_help = true;
      return true;
    }
    const std::string name = parsed_.topic.empty() ? word : parsed_.topic + " " + word;
    parsed_.command = program_.find(name);
    if (parsed_.command != nullptr || (parsed_.topic.empty() && program_.find_family(word) != nullptr)) {
      parsed_.topic = name;
      return true;
    }
    std::vector<std::string> known;
    for (const Listed& next : next_words(program_, parsed_.topic)) known.push_back(next.word);
    const std::string meant = design::did_you_mean(word, known);
    return wrong("there is no command " + name + "." + (meant.empty() ? "" : " " + meant));
  }

  bool argument(const std::string& word) {
    const std::vector<Option>& arguments = parsed_.command->arguments;
    if (parsed_.asks_for_help) return true;
    std::size_t place = parsed_.arguments.size();
    if (!arguments.empty() && arguments.back().repeats) place = std::min(place, arguments.size() - 1);
    if (place >= arguments.size()) return wrong("`" + word + "` is one argument too many");
    parsed_.arguments.push_back({&arguments[place], word});
    return true;
  }

  bool option(const std::string& word) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    if (name == "--help" || name == "-h") return parsed_.asks_for_help = true;
    if (parsed_.topic.empty() && (name == "--version" || name == "-V"))
      return parsed_.asks_for_version = true;
    const Option* general = find_option(program_.options, name);
    const Option* own = parsed_.command == nullptr ? nullptr : find_option(parsed_.command->options, name);
    if (own == nullptr && general == nullptr) return wrong(unknown(name));
    const Option& option = own == nullptr ? *general : *own;
    if (equals != std::string::npos) return take(option, word.substr(equals + 1));
    if (option.is_flag()) return take(option, "true");
    // A word that begins with -- is the next option: a value that does so is given as --option=value.
    const bool is_optional = !option.value_if_left_out.empty();
    const bool is_there = at_ + 1 < words_.size() && !words_[at_ + 1].starts_with(is_optional ? "-" : "--");
    if (!is_there && !is_optional) return missing_value(option);
    return take(option, is_there ? words_[++at_] : option.value_if_left_out);
  }

  // Options of every command are set at once: they hold for the report of what is wrong with the others, too.
  bool take(const Option& option, std::string value) {
    if (!option.value_if_left_out.empty() && value.empty()) return missing_value(option);
    const Given given{&option, std::move(value)};
    if (find_option(program_.options, option.name) == &option) {
      std::optional<std::string> problem = set(given);
      return !problem || wrong(*std::move(problem));
    }
    parsed_.options.push_back(given);
    return true;
  }

  bool missing_value(const Option& option) {
    return wrong(option.name + " needs a value: " + option.name + " " + option.value_text());
  }

  std::string unknown(const std::string& name) const {
    std::vector<std::string> known{"--help"};
    for (const Option& option : program_.options) known.push_back(option.name);
    if (parsed_.command != nullptr) {
      for (const Option& option : parsed_.command->options) {
        if (!option.is_hidden) known.push_back(option.name);
      }
    } else {
      known.emplace_back("--version");
    }
    const std::string where = program_.name + (parsed_.topic.empty() ? "" : " " + parsed_.topic);
    const std::string meant = design::did_you_mean(name, known);
    return "`" + where + "` has no option " + name + "." + (meant.empty() ? "" : " " + meant);
  }

  const ProgramSpec& program_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  bool options_have_ended_ = false;
  ParsedWords parsed_;
  std::string problem_;
};

std::expected<void, UsageError> set_all(const std::vector<Given>& all, const std::string& topic) {
  for (const Given& given : all) {
    if (std::optional<std::string> problem = set(given))
      return unexpected(UsageError{*std::move(problem), topic});
  }
  return {};
}

// Returns the first option that must be given and is not, neither on the command line nor before it; null if there is none.
const Option* missing(const std::vector<Option>& wanted, const std::vector<Given>& given,
                      const std::vector<Given>& before = {}) {
  const auto is_in = [](const std::vector<Given>& all, const Option& option) {
    return std::ranges::find(all, &option, &Given::option) != all.end();
  };
  const auto found = std::ranges::find_if(wanted, [&](const Option& option) {
    return option.is_required && !is_in(given, option) && !is_in(before, option);
  });
  return found == wanted.end() ? nullptr : &*found;
}

}  // namespace

const std::string* ParsedWords::value_of(std::string_view wanted) const {
  for (auto given = options.rbegin(); given != options.rend(); ++given) {
    if (given->option->name == wanted) return &given->value;
  }
  return nullptr;
}

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::ranges::find_if(options, [name](const Option& option) {
    return option.name == name || (!name.empty() && option.letter == name) ||
           std::ranges::find(option.aliases, name) != option.aliases.end();
  });
  return found == options.end() ? nullptr : &*found;
}

std::expected<ParsedWords, UsageError> parse_words(const ProgramSpec& program,
                                                   const std::vector<std::string>& words) {
  return Parser(program, words).parse();
}

std::expected<void, UsageError> apply(const ParsedWords& parsed, const std::vector<Given>& before) {
  const CommandSpec& command = *parsed.command;
  for (const std::vector<Given>* all : {&before, &parsed.options, &parsed.arguments}) {
    if (auto done = set_all(*all, parsed.topic); !done) return done;
  }
  const Option* absent = missing(command.arguments, parsed.arguments);
  if (absent == nullptr) absent = missing(command.options, parsed.options, before);
  if (absent != nullptr)
    return unexpected(UsageError{absent->name + " is missing: " + absent->help, parsed.topic});
  if (command.check) {
    if (const Result<void> checked = command.check(); !checked)
      return unexpected(UsageError{checked.error().message(), parsed.topic});
  }
  command.choose();
  return {};
}

}  // namespace tavola::cli
