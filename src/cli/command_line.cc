#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "access/identity/token_sources.h"
#include "cli/design_options.h"
#include "cli/file_options.h"
#include "cli/manual.h"
#include "design/model/nearest.h"

namespace tavola::cli {
namespace {

// Who may use the server.
void add_access(CLI::App& app, server::ServeOptions& options) {
  app.add_option("--credentials", options.credentials,
                 "Verify signatures with the access keys in this file; without it any key will do")
      ->type_name("FILE");
  app.add_option("--metrics-auth", options.metrics_token_file,
                 "Answer /metrics only to those who send the token in this file (Authorization: Bearer), as "
                 "Prometheus "
                 "does with credentials_file, or sign with a key without limits")
      ->type_name("FILE");
  access::TokenSources& tokens = options.tokens;
  app.add_option(
         "--jwt-secret-file", tokens.secret_file,
         "Verify tokens (Authorization: Bearer) of designs with roles with the secret in this file: HS256")
      ->type_name("FILE");
  app.add_option(
         "--jwks", tokens.jwks_file,
         "Verify them with the public keys in this JWKS file, as Cognito publishes them: RS256, ES256")
      ->type_name("FILE");
  app.add_option("--jwt-issuer", tokens.issuer, "What tokens must have as iss")->type_name("TEXT");
  app.add_option("--jwt-audience", tokens.audience, "What tokens must have as aud, or as client_id")
      ->type_name("TEXT");
}

// By which names clients may call the server, and which web pages may use it.
void add_serve_web(CLI::App& app, http::WebRules& web) {
  app.add_option("--allowed-host", web.allowed_hosts,
                 "A further name by which clients call the server, like its name in a network of containers; "
                 ".example stands for every name that ends so; may be given several times")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->check([](const std::string& name) {
        return http::is_host_rule(name) ? std::string() : "must be a name without a port (was " + name + ")";
      })
      ->type_name("NAME");
  const auto allow = [&web](const std::vector<std::string>& origins) {
    const bool is_all =
        std::ranges::any_of(origins, [](const auto& one) { return one.empty() || one == "*"; });
    web.pages = is_all ? http::WebPages::All : http::WebPages::OfThisMachine;
    web.origins = origins;
  };
  app.add_option_function<std::vector<std::string>>(
         "--cors", allow,
         "Let web pages of this origin use the server, like https://app.example, or without one the pages of "
         "every origin; pages of this machine may in any case; may be given several times")
      ->expected(0, 1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->check([](const std::string& origin) {
        const bool is_right = origin == "*" || http::is_origin(origin);
        return is_right ? std::string()
                        : "must be an origin like https://app.example, or * for all (was " + origin + ")";
      })
      ->type_name("[ORIGIN]");
  app.add_flag_function(
      "--no-cors",
      [&web](std::int64_t given) {
        if (given > 0) web.pages = http::WebPages::None;
      },
      "Let no web page of another origin use the server");
}

void add_serve_archive(CLI::App& app, server::ServeOptions& options) {
  app.add_option("--archive-to", options.archive_to,
                 "Archive once an hour what the designs say, to this folder or s3://bucket/prefix")
      ->type_name("PLACE");
  app.add_option("--s3-endpoint", options.archive_s3_endpoint,
                 "The server of that bucket, unless it is Amazon's own")
      ->type_name("URL");
}

void add_serve_faults(CLI::App& app, server::ServeOptions& options) {
  app.add_option("--fault", options.faults,
                 "For tests of your programs: what goes wrong on purpose and how often, like "
                 "throttle=0.05,conflict@orders/PutItem=0.5,gsi-lag=200ms; may be given several times")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("FAULTS");
  app.add_option("--fault-seed", options.fault_seed, "The faults are the same every time for the same seed")
      ->type_name("N");
}

void add_serve_files(CLI::App& app, server::ServeOptions& options) {
  app.add_option("--buckets", options.buckets,
                 "Export and import tables: what is called an S3 bucket is a folder in this one")
      ->type_name("DIR");
}

void add_serve_throughput(CLI::App& app, server::ServeOptions& options) {
  app.add_flag("--enforce-throughput", options.enforce_throughput,
               "Throttle as AWS does what exceeds the provisioned throughput of a table or index, or its "
               "OnDemandThroughput");
}

void add_serve_log(CLI::App& app, server::ServeOptions& options) {
  static const std::map<std::string, server::LogFormat> formats{{"text", server::LogFormat::Text},
                                                                {"json", server::LogFormat::Json}};
  app.add_option("--log-format", options.log_format, "How the log on standard error looks: text or json")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case).description(""))
      ->default_str("text")
      ->type_name("FORMAT");
  app.add_flag("--quiet", options.quiet, "Print no banner");
}

void add_serve_loss(CLI::App& app, server::ServeOptions& options) {
  app.add_flag("--accept-loss", options.accept_loss,
               "Open data although acknowledged writes are missing from its log, without them; the log says "
               "what was given up");
}

void add_serve_memory(CLI::App& app, server::ServeOptions& options) {
  constexpr std::size_t kMemoryMin = std::size_t{64} << 20U;
  constexpr std::size_t kMemoryMax = std::size_t{1} << 50U;
  app.add_option("--memory", options.memory_bytes,
                 "Memory that the server may use, like 512MB or 4GB; without it, what the machine or "
                 "container has. With less "
                 "than 512MB, requests are limited to a 32nd of it instead of 16 MB")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(kMemoryMin, kMemoryMax).description(""))
      ->type_name("SIZE");
  app.add_option("--cache", options.cache_megabytes,
                 "Memory for data read from the disk, in MB; a quarter of --memory, or at most 64 without it")
      ->check(CLI::Range(std::size_t{1}, kMemoryMax >> 20U).description(""))
      ->type_name("MB");
}

// What a server may do besides serving.
void add_serve_besides(CLI::App& app, server::ServeOptions& options) {
  add_serve_archive(app, options);
  add_serve_files(app, options);
  add_serve_faults(app, options);
  add_serve_throughput(app, options);
  add_serve_loss(app, options);
}

void add_serve(CLI::App& app, server::ServeOptions& options, std::string& config) {
  // The command line comes behind the config file, and so has the last word.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option(
         "--config", config,
         "Take options from this file, too: lines like `port = 8000`, named as here, and # before a comment; "
         "what the command line says counts more")
      ->type_name("FILE");
  app.add_option("--data", options.data, "The directory of the data; created when it is not there")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_flag("--in-memory", options.in_memory, "Keep everything in memory; it is gone at the end");
  app.add_option(
         "--design", options.designs,
         "Serve this design under /v1, and create its table when it is missing; may be given several times")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_serve_besides(app, options);
  constexpr unsigned kPortMax = 65'535;
  app.add_option("--port", options.port, "The TCP port; 0 chooses a free one")
      ->check(CLI::Range(0U, kPortMax))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--host", options.host, "The address or name to listen on; empty: only on the Unix socket")
      ->capture_default_str()
      ->type_name("HOST");
  app.add_option("--unix-socket", options.unix_socket, "Listen on this Unix socket, too")->type_name("PATH");
  static const std::map<std::string, Durability> durabilities{{"synced", Durability::Synced},
                                                              {"relaxed", Durability::Relaxed}};
  app.add_option(
         "--durability", options.durability,
         "When a write is answered: synced (when it is on the disk) or relaxed (a power cut may take the "
         "latest writes)")
      ->transform(CLI::CheckedTransformer(durabilities, CLI::ignore_case).description(""))
      ->default_str("synced")
      ->type_name("MODE");
  add_serve_memory(app, options);
  constexpr unsigned kThreadsMax = 1024;
  app.add_option("--threads", options.threads, "Threads that serve; 0 means one per core")
      ->check(CLI::Range(0U, kThreadsMax).description(""))
      ->capture_default_str()
      ->type_name("N");
  add_access(app, options);
  auto* certificate = app.add_option("--tls-cert", options.tls_certificate,
                                     "Serve HTTPS with this certificate (PEM, with its chain)")
                          ->type_name("FILE");
  auto* key =
      app.add_option("--tls-key", options.tls_key, "The certificate's private key (PEM)")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  app.add_flag("--insecure", options.insecure, "Listen beyond this machine even without credentials or TLS");
  add_serve_web(app, options.web);
  app.add_option("--region", options.region, "The region in ARNs")->capture_default_str()->type_name("NAME");
  add_serve_log(app, options);
  app.add_option("--clock", options.clock, "For tests: the time of the designs is always this")->group("");
}

// An empty --cors is a variable that was not set, and not the pages of every origin. To CLI11 it is an option without a value.
void check_cors(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_empty =
        words[i] == "--cors=" || (words[i] == "--cors" && i + 1 < words.size() && words[i + 1].empty());
    if (is_empty)
      throw CLI::ValidationError("--cors", "must be an origin like https://app.example (was empty)");
  }
}

// --data and --in-memory cannot both be meant. What the command line says of either replaces what a config file says.
void check_storage(const CLI::App& command) {
  if (command.count("--in-memory") > 0 && command.count("--data") > 0) {
    throw CLI::ExcludesError("--in-memory", "--data");
  }
}

// The options in a config file as they would stand on the command line. CLI11 reads config files for a program, but not
// for one of its commands.
std::vector<std::string> words_of_config(const std::string& file, const CLI::App& command) {
  const bool says_storage = command.count("--data") + command.count("--in-memory") > 0;
  std::vector<std::string> words;
  for (const CLI::ConfigItem& item : CLI::ConfigINI().from_file(file)) {
    const std::string option = "--" + item.name;
    if (!item.parents.empty()) {
      throw CLI::ConfigError(file + " has a section [" + item.parents.front() + "]; there are none");
    }
    const CLI::Option* const known = command.get_option_no_throw(option);
    if (known == nullptr || option == "--config") {
      throw CLI::ConfigError(file + " has an option that does not exist: " + item.name);
    }
    const bool takes_several = known->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (item.inputs.empty() || (item.inputs.size() > 1 && !takes_several)) {
      throw CLI::ConfigError(file + " must give one value for " + item.name +
                             ", and comments lines of their own");
    }
    const bool is_storage = item.name == "data" || item.name == "in-memory";
    if (is_storage && says_storage) continue;
    for (const std::string& input : item.inputs)
      words.push_back(std::string(option).append("=").append(input));
  }
  return words;
}

// Parses once more, with the config file's options between the command and what follows it.
void parse_with_config(CLI::App& app, const CLI::App& command, const std::string& config,
                       std::vector<std::string> words) {
  const std::vector<std::string> more = words_of_config(config, command);
  words.insert(std::ranges::find(words, command.get_name()) + 1, more.begin(), more.end());
  std::ranges::reverse(words);  // as CLI11 wants them
  app.parse(std::move(words));
}

OptionDescription describe(const CLI::Option& option) {
  OptionDescription described;
  described.name = "--" + option.get_lnames().front();
  described.help = option.get_description();
  if (option.get_items_expected_max() == 0 || option.get_type_size_max() == 0) return described;  // a flag
  described.type = option.get_type_name();
  described.otherwise = option.get_default_str();
  return described;
}

// The command, or, when it is only the first word of several, these.
void describe(const CLI::App& command, const std::string& before, ProgramDescription& program) {
  const std::string name = before + command.get_name();
  if (!command.get_subcommands({}).empty()) {
    for (const CLI::App* next : command.get_subcommands({})) describe(*next, name + " ", program);
    return;
  }
  CommandDescription& described = program.commands.emplace_back();
  described.name = name;
  described.help = command.get_description();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    if (!option->get_lnames().empty()) {
      described.options.push_back(describe(*option));
    } else if (option->get_positional()) {
      described.arguments += (described.arguments.empty() ? "" : " ") + option->get_description();
    }
  }
}

ProgramDescription describe(const CLI::App& app) {
  ProgramDescription program{app.get_name(), app.get_description(), {}};
  for (const CLI::App* command : app.get_subcommands({})) describe(*command, "", program);
  return program;
}

// The words of the command that was given, for "Try: tavola design check --help".
std::string given_command(const CLI::App& app) {
  std::string words;
  for (const CLI::App* command : app.get_subcommands())
    words += command->get_name() + " " + given_command(*command);
  return words;
}

// "there is no command chek. Did you mean `check`?"; empty when the commands are not what is wrong.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> next = command->get_subcommands({});
    if (next.empty() || word.starts_with('-')) return {};
    const auto found = std::ranges::find(next, word, &CLI::App::get_name);
    if (found == next.end()) {
      std::vector<std::string> names;
      names.reserve(next.size());
      for (const CLI::App* one : next) names.push_back(one->get_name());
      return "there is no command " + word + ". " + design::did_you_mean(word, names);
    }
    command = *found;
  }
  return {};
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Tavola: a DynamoDB-compatible database.", "tavola");
  app.require_subcommand(0, 1);
  app.footer("Start with `tavola serve`, then point any AWS SDK at http://127.0.0.1:8000.");
  server::ServeOptions options;
  Command chosen;
  CLI::App* serve = app.add_subcommand("serve", "Serve DynamoDB's protocol over HTTP");
  serve->footer("Example: tavola serve --data ./my-data --port 8000");
  std::string config;
  add_serve(*serve, options, config);
  add_design_commands(app, chosen);
  add_archive_commands(app, chosen);
  add_file_commands(app, chosen);
  add_copy_command(app, chosen);
  add_repair_command(app, chosen);
  CLI::App* version = app.add_subcommand("version", "Print the version");
  CLI::App* manual = app.add_subcommand("man", "Print the manual page: tavola man | man -l -");
  std::string shell;
  CLI::App* completions =
      app.add_subcommand("completion", "Print a completion script: source <(tavola completion bash)");
  completions->add_option("shell", shell, "bash|zsh|fish")->required();
  bool wants_version = false;
  app.add_flag("--version", wants_version, "Print the version");
  try {
    check_cors({argv + 1, argv + argc});
    app.parse(argc, argv);
    check_storage(*serve);
    if (!config.empty()) parse_with_config(app, *serve, config, {argv + 1, argv + argc});
    check_storage(*serve);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return PrintText{app.help("", CLI::AppFormatMode::Normal)};
    const std::string unknown = unknown_command(app, {argv + 1, argv + argc});
    return PrintText{"tavola: " + (unknown.empty() ? std::string(error.what()) : unknown) + "\nTry: tavola " +
                         given_command(app) + "--help\n",
                     kUsageError};
  }
  if (serve->parsed()) return options;
  if (version->parsed() || wants_version) return PrintText{"tavola " TAVOLA_VERSION "\n"};
  if (manual->parsed()) return PrintText{manual_page(describe(app))};
  if (completions->parsed()) {
    if (const auto script = completion(describe(app), shell)) return PrintText{*script};
    return PrintText{"tavola: there is no completion for " + shell + "; choose bash, zsh or fish\n",
                     kUsageError};
  }
  if (!app.get_subcommands().empty()) return chosen;
  return PrintText{app.help()};
}

}  // namespace tavola::cli
