#include "cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/command/completions.h"
#include "cli/command/dynamodb_local.h"
#include "cli/command/help.h"
#include "cli/command/manual.h"
#include "cli/command/manual_sections.h"
#include "cli/command/parse.h"
#include "cli/command/values.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

Option color_option(ColorMode& color) {
  static const std::vector<std::string> choices{"auto", "always", "never"};
  return {.name = "--color",
          .help = "When to use colours; auto: on a terminal, unless NO_COLOR is set",
          .choices = choices,
          .initial = "auto",
          .set = [&color](const std::string& text) -> Result<void> {
            TAVOLA_TRY(const std::size_t at, read_choice(text, choices));
            color = static_cast<ColorMode>(at);
            return {};
          }};
}

// A command that prints something about the program itself.
CommandSpec printing(std::string name, std::string help, Command& chosen, std::function<std::string()> text) {
  return {.name = std::move(name), .help = std::move(help), .choose = [&chosen, text = std::move(text)] {
            chosen = PrintText{text()};
          }};
}

// Their texts are made from `program`, which must stay where it is.
void add_own_commands(ProgramSpec& program, Command& chosen) {
  program.commands.push_back(
      printing("version", "Print the version", chosen, [] { return "tavola " TAVOLA_VERSION "\n"; }));
  program.commands.push_back(
      printing("man", "Print the manual page", chosen, [&program] { return manual_page(program); }));
  program.commands.back().example = "tavola man | man -l -";
  const auto shell = std::make_shared<std::string>();
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  CommandSpec script = printing("completion", "Print a completion script for a shell", chosen,
                                [&program, shell] { return completion(program, *shell).value_or(""); });
  script.arguments.push_back({.name = "SHELL",
                              .value = "SHELL",
                              .help = "Shell that the script is for",
                              .choices = shells,
                              .is_required = true,
                              .set = [shell](const std::string& text) -> Result<void> {
                                TAVOLA_TRY(const std::size_t at, read_choice(text, shells));
                                *shell = shells[at];
                                return {};
                              }});
  script.example = "source <(tavola completion bash)";
  program.commands.push_back(std::move(script));
}

void describe(ProgramSpec& program, CommandLine& line) {
  program.name = "tavola";
  program.help = "Tavola: a DynamoDB-compatible database.";
  program.footer =
      "`tavola help COMMAND` explains a command.\n"
      "Start with `tavola serve`, then point any AWS SDK at http://127.0.0.1:8000.";
  program.options.push_back(color_option(line.color));
  program.manual_sections = kManualSections;
  add_serve_command(program, line.command);
  add_console_command(program, line.command);
  add_kit_commands(program, line.command);
  add_design_commands(program, line.command);
  add_archive_commands(program, line.command);
  add_file_commands(program, line.command);
  add_copy_command(program, line.command);
  add_repair_command(program, line.command);
  add_own_commands(program, line.command);
}

// --data and --in-memory contradict each other. Those on the command line replace those in a config file.
bool is_storage(const Given& given) {
  return given.option->name == "--data" || given.option->name == "--in-memory";
}

Result<void> check_storage(const std::vector<Given>& options) {
  const auto is_given = [&](std::string_view name) {
    return std::ranges::any_of(
        options, [&](const Given& given) { return given.option->name == name && given.value != "false"; });
  };
  if (!is_given("--data") || !is_given("--in-memory")) return {};
  return fail(Error::validation("--in-memory and --data contradict each other; give one of them"));
}

// The options of the config file, for those that the command line leaves open.
Result<std::vector<Given>> config_of(const ParsedWords& parsed) {
  TAVOLA_CHECK(check_storage(parsed.options));
  const std::string* const given = parsed.value_of("--config");
  // The environment names the one of the server: a container has it.
  const char* const named =
      parsed.topic == "serve" ? std::getenv("TAVOLA_CONFIG") : nullptr;  // NOLINT(concurrency-mt-unsafe)
  if (given == nullptr && named == nullptr) return std::vector<Given>();
  TAVOLA_TRY(std::vector<Given> config, read_config(given != nullptr ? *given : named, *parsed.command));
  TAVOLA_CHECK(check_storage(config));
  if (std::ranges::any_of(parsed.options, is_storage)) std::erase_if(config, is_storage);
  return config;
}

PrintText wrong(const UsageError& error) {
  return {"tavola: " + error.message + "\nTry: tavola " + (error.topic.empty() ? "" : error.topic + " ") +
              "--help\n",
          kUsageError};
}

// Puts what was asked for into `line`.
std::expected<void, UsageError> choose(const ProgramSpec& program, const ParsedWords& parsed,
                                       CommandLine& line) {
  if (parsed.asks_for_version) return apply({.topic = "version", .command = program.find("version")});
  if (parsed.asks_for_help || parsed.topic.empty()) {
    line.command = PrintText{help_text(program, parsed.topic)};
    return {};
  }
  if (parsed.command == nullptr)
    return std::unexpected(
        UsageError{"`tavola " + parsed.topic + "` needs a command behind it", parsed.topic});
  const Result<std::vector<Given>> config = config_of(parsed);
  if (!config) return std::unexpected(UsageError{config.error().message(), parsed.topic});
  return apply(parsed, *config);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  ProgramSpec program;
  describe(program, line);
  const auto parsed = parse_words(program, without_dynamodb_local({argv + 1, argv + argc}));
  if (!parsed) {
    line.command = wrong(parsed.error());
  } else if (const auto chosen = choose(program, *parsed, line); !chosen) {
    line.command = wrong(chosen.error());
  }
  return line;
}

}  // namespace tavola::cli
