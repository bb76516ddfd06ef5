// The command line as a user meets it, without starting a server.
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command/builder.h"
#include "cli/command/parse.h"
#include "cli/command_line.h"

namespace tavola::cli {
namespace {

using testing::HasSubstr;

Command parse(std::vector<const char*> words) {
  words.insert(words.begin(), "tavola");
  return parse_command_line(static_cast<int>(words.size()), words.data()).command;
}

server::ServeOptions served(std::vector<const char*> words) {
  const Command command = parse(std::move(words));
  EXPECT_TRUE(std::holds_alternative<server::ServeOptions>(command));
  return std::holds_alternative<server::ServeOptions>(command) ? std::get<server::ServeOptions>(command)
                                                               : server::ServeOptions{};
}

PrintText printed(std::vector<const char*> words) {
  const Command command = parse(std::move(words));
  EXPECT_TRUE(std::holds_alternative<PrintText>(command));
  return std::holds_alternative<PrintText>(command) ? std::get<PrintText>(command) : PrintText{};
}

TEST(CommandLine, TheConsoleIsChosen) {
  EXPECT_EQ(served({"serve"}).console, server::ConsoleSetting::On);
  EXPECT_FALSE(served({"serve"}).console_port);
  EXPECT_EQ(served({"serve", "--console", "off"}).console, server::ConsoleSetting::Off);
  EXPECT_EQ(served({"serve", "--console", "read-only"}).console, server::ConsoleSetting::ReadOnly);
  EXPECT_EQ(served({"serve", "--console-port", "9001"}).console_port, 9001);
}

TEST(CommandLine, AConsoleOfADatabaseElsewhere) {
  const Command command =
      parse({"console", "--endpoint", "aws:eu-central-1", "--port", "9001", "--read-only"});
  const auto* const options = std::get_if<server::RemoteConsoleOptions>(&command);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->endpoint, "aws:eu-central-1");
  EXPECT_EQ(options->port, 9001);
  EXPECT_TRUE(options->read_only);
  EXPECT_THAT(printed({"console"}).text, HasSubstr("--endpoint is missing"));
}

TEST(CommandLine, ServeTakesTheArgumentsOfDynamoDbLocal) {
  const server::ServeOptions options =
      served({"-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-sharedDb", "-dbPath",
              "./data", "-port", "9000", "-delayTransientStatuses", "-disableTelemetry", "-cors",
              "http://a.example, http://b.example"});
  EXPECT_EQ(options.data, "./data");
  EXPECT_EQ(options.port, 9000);
  EXPECT_EQ(options.web.origins, (std::vector<std::string>{"http://a.example", "http://b.example"}));
  const server::ServeOptions in_memory = served({"-jar", "DynamoDBLocal.jar", "-inMemory", "-cors", "*"});
  EXPECT_TRUE(in_memory.in_memory);
  EXPECT_EQ(in_memory.web.pages, http::WebPages::All);
  EXPECT_THAT(printed({"-inMemory", "-unknown"}).text, HasSubstr("-unknown"));
  EXPECT_THAT(printed({"-inMemory", "-port"}).text, HasSubstr("--port"));
  EXPECT_THAT(printed({"-help"}).text, HasSubstr("tavola serve"));
}

TEST(CommandLine, ServeHasSensibleDefaults) {
  const server::ServeOptions options = served({"serve"});
  EXPECT_EQ(options.data, "tavola-data");
  EXPECT_EQ(options.host, "127.0.0.1");
  EXPECT_EQ(options.port, 8000);
  EXPECT_EQ(options.durability, Durability::Synced);
  EXPECT_FALSE(options.in_memory);
}

TEST(CommandLine, ServeTakesItsOptions) {
  const server::ServeOptions options =
      served({"serve", "--port", "0", "--durability", "relaxed", "--data", "d", "--no-cors", "--log-format",
              "json", "--tls-cert", "c", "--tls-key", "k"});
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.durability, Durability::Relaxed);
  EXPECT_EQ(options.data, "d");
  EXPECT_EQ(options.web.pages, http::WebPages::None);
  EXPECT_EQ(options.log_format, server::LogFormat::Json);
  EXPECT_EQ(options.tls_key, "k");
}

TEST(CommandLine, ServeIsToldItsNamesAndItsPages) {
  using http::WebPages;
  EXPECT_EQ(served({"serve"}).web.pages, WebPages::OfThisMachine);
  EXPECT_EQ(served({"serve", "--cors"}).web.pages, WebPages::All);
  EXPECT_EQ(served({"serve", "--cors", "--quiet"}).web.pages, WebPages::All);
  EXPECT_EQ(served({"serve", "--cors", "https://a", "--cors", "--no-cors"}).web.pages, WebPages::None);
  const http::WebRules web = served({"serve", "--cors", "https://a", "--cors=http://b:1", "--allowed-host",
                                     "db", "--allowed-host", ".example"})
                                 .web;
  EXPECT_EQ(web.pages, WebPages::OfThisMachine);
  EXPECT_EQ(web.origins, (std::vector<std::string>{"https://a", "http://b:1"}));
  EXPECT_EQ(web.allowed_hosts, (std::vector<std::string>{"db", ".example"}));
}

TEST(CommandLine, MistakesAreToldInOneLineWithWhatToTry) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"serve", "--prot", "1"},
                                                                 {"serve", "--port", "x"},
                                                                 {"serve", "--port", "70000"},
                                                                 {"serve", "--console", "maybe"},
                                                                 {"serve", "--console-port", "70000"},
                                                                 {"serve", "--durability", "maybe"},
                                                                 {"serve", "--cache", "99999999999999"},
                                                                 {"serve", "--threads", "5000"},
                                                                 {"serve", "--tls-cert", "c"},
                                                                 {"serve", "--in-memory", "--data", "d"},
                                                                 {"serve", "--cors", "app.example"},
                                                                 {"serve", "--cors", ""},
                                                                 {"serve", "--cors="},
                                                                 {"serve", "--cors", "https://a/b"},
                                                                 {"serve", "--allowed-host", "db:8000"},
                                                                 {"serve", "--allowed-host", "*"},
                                                                 {"sevre"}}) {
    const PrintText text = printed(words);
    EXPECT_EQ(text.exit_code, 2) << text.text;
    EXPECT_THAT(text.text, testing::StartsWith("tavola: "));
    EXPECT_THAT(text.text, HasSubstr("--help"));
  }
}

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() : path_(std::filesystem::path(testing::TempDir()) / ("config-" + std::to_string(getpid()))) {}
  ~ConfigFile() override { std::filesystem::remove(path_); }

  const char* says(std::string_view text) {
    std::ofstream(path_) << text;
    return path_.c_str();
  }

 private:
  std::filesystem::path path_;
};

TEST_F(ConfigFile, GivesOptionsAndTheCommandLineHasTheLastWord) {
  const char* file = says(
      "# a comment\nport = 9145\nin-memory = true\nno-cors = true\n\ndurability = relaxed\n"
      "credentials = \"a file.txt\"\n");
  const server::ServeOptions options = served({"serve", "--config", file, "--durability", "synced"});
  EXPECT_EQ(options.port, 9145);
  EXPECT_TRUE(options.in_memory);
  EXPECT_EQ(options.web.pages, http::WebPages::None);
  EXPECT_EQ(options.credentials, "a file.txt");
  EXPECT_EQ(options.durability, Durability::Synced);
}

TEST_F(ConfigFile, MayGiveAnOptionSeveralTimes) {
  const char* file = says("allowed-host = db\nallowed-host = .example\ncors = *\ndesign = a.yaml\n");
  const server::ServeOptions options = served({"serve", "--config", file, "--allowed-host", "third"});
  EXPECT_EQ(options.web.allowed_hosts, (std::vector<std::string>{"db", ".example", "third"}));
  EXPECT_EQ(options.web.pages, http::WebPages::All);
  EXPECT_EQ(options.designs, std::vector<std::string>{"a.yaml"});
}

TEST_F(ConfigFile, SaysWhereTheDataIsUnlessTheCommandLineDoes) {
  EXPECT_EQ(served({"serve", "--config", says("data = there")}).data, "there");
  EXPECT_TRUE(served({"serve", "--config", says("data = there"), "--in-memory"}).in_memory);
  const server::ServeOptions options =
      served({"serve", "--config", says("in-memory = true"), "--data", "here"});
  EXPECT_FALSE(options.in_memory);
  EXPECT_EQ(options.data, "here");
  EXPECT_EQ(printed({"serve", "--config", says("data = there\nin-memory = true")}).exit_code, 2);
}

// A server that overlooked its credentials would be open to all.
TEST_F(ConfigFile, IsNeverIgnored) {
  for (const char* text : {"prot = 9145", "[serve]\nport = 9145", "port = many", "port", "config = other",
                           "credentials = a, b", "credentials = [a, b]"}) {
    const PrintText text_printed = printed({"serve", "--config", says(text)});
    EXPECT_EQ(text_printed.exit_code, 2) << text << "\n" << text_printed.text;
    EXPECT_THAT(text_printed.text, testing::StartsWith("tavola: "));
  }
  EXPECT_EQ(printed({"serve", "--config", "no-such-file"}).exit_code, 2);
  EXPECT_EQ(printed({"serve", "--config", std::filesystem::temp_directory_path().c_str()}).exit_code, 2);
}

struct Oven {
  std::string dish;
  std::uint16_t degrees = 0;
  std::optional<std::int8_t> minutes;
};

ProgramSpec oven(Oven& chosen) {
  ProgramSpec program;
  program.name = "oven";
  program.commands.push_back(CommandBuilder<Oven>("bake", "Bake a dish")
                                 .option("--dish", &Oven::dish, "NAME", "Name of the dish")
                                 .required()
                                 .number("--degrees", &Oven::degrees, "N", "Heat")
                                 .number("--minutes", &Oven::minutes, "N", "Time", {1, 1000})
                                 .choose(chosen));
  return program;
}

TEST_F(ConfigFile, MayGiveARequiredOption) {
  Oven chosen;
  const ProgramSpec program = oven(chosen);
  const auto parsed = parse_words(program, {"bake"});
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(apply(*parsed));
  const auto config = read_config(says("dish = bread"), *parsed->command);
  ASSERT_TRUE(config);
  EXPECT_TRUE(apply(*parsed, *config));
  EXPECT_EQ(chosen.dish, "bread");
}

TEST(CommandLine, ANumberFitsTheTypeItIsReadInto) {
  Oven chosen;
  const ProgramSpec program = oven(chosen);
  const auto read = [&program](std::vector<std::string> words) {
    words.insert(words.begin(), {"bake", "--dish", "bread"});
    const auto done = apply(*parse_words(program, words));
    return done ? std::string() : done.error().message;
  };
  EXPECT_EQ(read({"--degrees", "65535", "--minutes", "127"}), "");
  EXPECT_EQ(chosen.degrees, 65535);
  EXPECT_EQ(chosen.minutes, 127);
  EXPECT_EQ(read({"--degrees", "65536"}), "--degrees must be a number from 0 to 65535 (was 65536)");
  EXPECT_EQ(read({"--minutes", "128"}), "--minutes must be a number from 1 to 127 (was 128)");
}

TEST(CommandLine, DesignsAreCheckedReadAndRun) {
  const auto check =
      std::get<CheckOptions>(parse({"design", "check", "a.yaml", "b.yaml", "--format", "sarif"}));
  EXPECT_EQ(check.files, (std::vector<std::string>{"a.yaml", "b.yaml"}));
  EXPECT_EQ(check.format, "sarif");
  EXPECT_FALSE(check.lints_fail);
  EXPECT_TRUE(std::get<CheckOptions>(parse({"design", "lint", "a.yaml"})).lints_fail);
  EXPECT_EQ(std::get<SchemaOptions>(parse({"design", "schema", "--format", "json-schema"})).file, "");
  const auto run = std::get<RunOptions>(
      parse({"run", "a.yaml", "listProducts", "shopId=s1", "name=a b", "--data", "d", "--limit", "5"}));
  EXPECT_EQ(run.name, "listProducts");
  EXPECT_EQ(run.arguments, (std::vector<std::string>{"shopId=s1", "name=a b"}));
  EXPECT_EQ(run.limit, 5);
  EXPECT_EQ(std::get<GenerateOptions>(parse({"gen", "ts", "a.yaml"})).language, "ts");
  EXPECT_EQ(std::get<GenerateOptions>(parse({"gen", "py", "a.yaml", "-o", "a.py"})).output, "a.py");
  EXPECT_EQ(served({"serve", "--design", "a.yaml", "--design", "b.yaml"}).designs.size(), 2);
}

TEST(CommandLine, MistakesInLongerCommandsAreToldWithTheirHelp) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"design", "chekc", "a.yaml"},
                                                                 {"design"},
                                                                 {"design", "check"},
                                                                 {"design", "check", "a", "--format", "xml"},
                                                                 {"design", "import", "excel", "a"},
                                                                 {"gen", "rust", "a.yaml"},
                                                                 {"run"}}) {
    const PrintText text = printed(words);
    EXPECT_EQ(text.exit_code, 2) << text.text;
    EXPECT_THAT(text.text, HasSubstr("Try: tavola " + std::string(words.front())));
  }
}

TEST(CommandLine, MistakesNameWhatIsExpectedAndWhatMayHaveBeenMeant) {
  const auto message = [](std::vector<const char*> words) { return printed(std::move(words)).text; };
  EXPECT_THAT(message({"serve", "--durability", "fast"}),
              testing::StartsWith("tavola: --durability must be synced or relaxed (was fast)\n"));
  EXPECT_THAT(message({"serve", "--port", "70000"}),
              HasSubstr("--port must be a number from 0 to 65535 (was 70000)"));
  EXPECT_THAT(message({"serve", "--memory", "big"}),
              HasSubstr("--memory must be a size like 512MB or 4GB (was big)"));
  EXPECT_THAT(message({"serve", "--prot", "1"}),
              HasSubstr("`tavola serve` has no option --prot. Did you mean `--port`?"));
  EXPECT_THAT(message({"design", "check", "--fromat", "json", "a"}), HasSubstr("Did you mean `--format`?"));
  EXPECT_THAT(message({"--verison"}), HasSubstr("Did you mean `--version`?"));
  EXPECT_THAT(message({"serve", "--data", "--in-memory"}), HasSubstr("--data needs a value: --data DIR"));
  EXPECT_THAT(message({"dump"}), HasSubstr("TABLE is missing"));
  EXPECT_THAT(message({"token", "--sub", "anna"}), HasSubstr("--secret-file is missing"));
  EXPECT_THAT(message({"repair", "a", "b", "--to", "c"}), HasSubstr("`b` is one argument too many"));
  EXPECT_THAT(message({"serve", "--in-memory=maybe"}),
              HasSubstr("--in-memory must be true or false (was maybe)"));
}

TEST(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(printed({"help"}).text, printed({"--help"}).text);
  EXPECT_EQ(printed({}).text, printed({"--help"}).text);
  EXPECT_EQ(printed({"help", "serve"}).text, printed({"serve", "--help"}).text);
  EXPECT_EQ(printed({"help", "design"}).text, printed({"design", "-h"}).text);
  EXPECT_EQ(printed({"help", "design", "check"}).text, printed({"design", "check", "--help"}).text);
  EXPECT_EQ(printed({"help", "serve"}).exit_code, 0);
  EXPECT_EQ(printed({"help", "sevre"}).exit_code, 2);
  EXPECT_EQ(printed({"-V"}).text, printed({"--version"}).text);
}

// The commands of a family are described in several places.
TEST(CommandLine, AFamilyIsListedOnce) {
  const std::string help = printed({"help"}).text;
  const std::size_t first = help.find("\n  design ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(help.find("\n  design ", first + 1), std::string::npos);
}

TEST(CommandLine, EveryCommandIsExplainedInGroupsWithAnExample) {
  const std::string serve = printed({"serve", "--help"}).text;
  EXPECT_THAT(serve, HasSubstr("\nStorage:\n  --data DIR "));
  EXPECT_THAT(serve, HasSubstr("Data directory; created if missing [default: tavola-data]"));
  EXPECT_THAT(serve, testing::Not(HasSubstr("UINT")));
  EXPECT_THAT(serve,
              testing::Not(HasSubstr("[default: strict]")));  // without --enforce a design says it itself
  for (const char* command :
       {"serve", "run", "migrate", "token", "gen", "dump", "load", "copy", "repair", "man", "completion"}) {
    const std::string help = printed({command, "--help"}).text;
    EXPECT_THAT(help, HasSubstr("\nExample:\n")) << command;
    EXPECT_THAT(help, HasSubstr(std::string("tavola ") + command)) << command;
  }
  for (const char* command :
       {"check", "lint", "fmt", "docs", "explain", "schema", "plan", "diff", "import", "export", "infer",
        "init", "sample", "drift", "adopt", "apply", "status", "policy"}) {
    EXPECT_THAT(printed({"design", command, "--help"}).text, HasSubstr("\nExample:\n  tavola design "))
        << command;
  }
  for (const char* command : {"run", "list", "verify", "restore"}) {
    EXPECT_THAT(printed({"archive", command, "--help"}).text, HasSubstr("\nExample:\n  tavola archive "))
        << command;
  }
}

TEST(CommandLine, OneIdeaHasOneNameAndOlderNamesStayAccepted) {
  EXPECT_EQ(std::get<DumpOptions>(parse({"dump", "t", "--parallel", "9"})).segments, 9U);
  EXPECT_EQ(std::get<DumpOptions>(parse({"dump", "t", "--segments", "9"})).segments, 9U);
  EXPECT_EQ(std::get<LoadOptions>(parse({"load", "t", "f", "--parallel", "9"})).threads, 9U);
  EXPECT_EQ(std::get<LoadOptions>(parse({"load", "t", "f", "--threads=9"})).threads, 9U);
  EXPECT_EQ(std::get<DumpOptions>(parse({"dump", "t", "--endpoint-url", "u"})).endpoint, "u");
  EXPECT_EQ(std::get<RunOptions>(parse({"run", "f", "n", "--endpoint-url=u"})).endpoint, "u");
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"dump", "--help"}, {"load", "--help"}, {"man"}}) {
    EXPECT_THAT(printed(words).text, testing::Not(HasSubstr("--segments")));
    EXPECT_THAT(printed(words).text, testing::Not(HasSubstr("--endpoint-url")));
  }
}

TEST(CommandLine, AnArchiveIsReadFromThereAndWrittenToThere) {
  const auto list =
      std::get<ArchiveListOptions>(parse({"archive", "list", "--from", "there", "--since", "2024-01-01"}));
  EXPECT_EQ(list.to, "there");
  EXPECT_EQ(list.since, "2024-01-01");
  const auto older =
      std::get<ArchiveListOptions>(parse({"archive", "list", "--to", "there", "--from", "2024-01-01"}));
  EXPECT_EQ(older.to, "there");
  EXPECT_EQ(older.since, "2024-01-01");
  EXPECT_EQ(std::get<ArchiveVerifyOptions>(parse({"archive", "verify", "--from", "there"})).to, "there");
  EXPECT_THAT(printed({"archive", "list"}).text, HasSubstr("--from is missing"));
  EXPECT_THAT(printed({"archive", "list", "--help"}).text, testing::Not(HasSubstr("--to ")));
}

TEST(CommandLine, DumpOffersTheFormatsThatItWrites) {
  EXPECT_THAT(printed({"dump", "--help"}).text, testing::Not(HasSubstr("workbench")));
  EXPECT_EQ(printed({"dump", "orders", "--format", "workbench"}).exit_code, 2);
  EXPECT_THAT(printed({"load", "--help"}).text, HasSubstr("workbench"));
}

TEST(CommandLine, OptionsEndAtTwoDashesAndMayStandAnywhere) {
  const auto run = std::get<RunOptions>(parse({"run", "--limit", "5", "f", "--", "n", "--k=v"}));
  EXPECT_EQ(run.limit, 5);
  EXPECT_EQ(run.arguments, (std::vector<std::string>{"--k=v"}));
  EXPECT_EQ(std::get<FormatOptions>(parse({"design", "fmt", "-", "--check"})).files,
            std::vector<std::string>{"-"});
}

// ---- Colours ----

TEST(Colors, ErrorsAreRedAndWarningsYellow) {
  EXPECT_EQ(colored("tavola: no\nTry: x\n"), "\x1b[31mtavola:\x1b[0m no\nTry: x\n");
  EXPECT_EQ(colored("a.yaml:1:2: error: x"), "a.yaml:1:2: \x1b[31merror:\x1b[0m x");
  EXPECT_EQ(colored("a.yaml:1:2: lint: x\n"), "a.yaml:1:2: \x1b[33mlint:\x1b[0m x\n");
  EXPECT_EQ(colored("  4 | a: error: x"), "  4 | a: error: x");
}

TEST(Colors, AreUsedOnTerminalsUnlessSaidOtherwise) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  EXPECT_FALSE(is_colored(ColorMode::Auto, pipe[1]));
  EXPECT_TRUE(is_colored(ColorMode::Always, pipe[1]));
  const auto mode = [](std::vector<const char*> words) {
    words.insert(words.begin(), "tavola");
    return parse_command_line(static_cast<int>(words.size()), words.data()).color;
  };
  EXPECT_EQ(mode({"version"}), ColorMode::Auto);
  EXPECT_EQ(mode({"design", "check", "a", "--color", "never"}), ColorMode::Never);
  EXPECT_EQ(mode({"--color=always", "version"}), ColorMode::Always);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(CommandLine, TheManualAndTheCompletionsKnowCommandsOfTwoWords) {
  EXPECT_THAT(printed({"man"}).text, HasSubstr(".SS design check\n"));
  EXPECT_THAT(printed({"man"}).text, testing::Not(HasSubstr(R"(\-\-clock)")));  // for tests alone
  const std::string bash = printed({"completion", "bash"}).text;
  EXPECT_THAT(bash, HasSubstr("\"design check \"*)"));
  EXPECT_THAT(bash, HasSubstr("check lint fmt test docs explain"));
  EXPECT_THAT(printed({"completion", "zsh"}).text, HasSubstr("\"design explain \"*)"));
  EXPECT_THAT(
      printed({"completion", "fish"}).text,
      HasSubstr("'__fish_seen_subcommand_from design; and __fish_seen_subcommand_from fmt' -l check"));
}

TEST(CommandLine, HelpManualAndCompletionsNameEveryOption) {
  const std::string texts[] = {printed({"serve", "--help"}).text, printed({"completion", "bash"}).text,
                               printed({"completion", "zsh"}).text};
  for (const std::string& text : texts) {
    for (const char* option : {"--data", "--in-memory", "--credentials", "--tls-cert", "--log-format"}) {
      EXPECT_THAT(text, HasSubstr(option));
    }
  }
  EXPECT_EQ(texts[0].find('\0'), std::string::npos);
  EXPECT_THAT(printed({"man"}).text, HasSubstr("\\-\\-credentials"));
  EXPECT_THAT(printed({"completion", "fish"}).text, HasSubstr("-l credentials -r -F"));
  EXPECT_THAT(printed({"completion", "fish"}).text, HasSubstr("-l durability -x -a 'synced relaxed'"));
  EXPECT_THAT(printed({"completion", "zsh"}).text,
              HasSubstr("--durability) compadd -- synced relaxed; return ;;"));
  EXPECT_THAT(printed({"completion", "zsh"}).text, HasSubstr("--data) _files -/; return ;;"));
  EXPECT_EQ(printed({"completion", "csh"}).exit_code, 2);
  EXPECT_THAT(printed({"version"}).text, HasSubstr("tavola "));
  EXPECT_EQ(printed({"--version"}).text, printed({"version"}).text);
}

}  // namespace
}  // namespace tavola::cli
