#include "cli/design_options.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace tavola::cli {
namespace {

// One command, while it is described: its options are read into `options`, which becomes what was chosen.
template <class Options>
class Described {
 public:
  Described(CLI::App& parent, const char* name, const char* help, Command& chosen)
      : app_(parent.add_subcommand(name, help)), options_(std::make_shared<Options>()) {
    app_->callback([&chosen, options = options_] { chosen = *options; });
  }

  template <class T>
  Described& argument(const char* name, T Options::* member, const char* help) {
    app_->add_option(name, (*options_).*member, help)->required();
    return *this;
  }
  template <class T>
  Described& option(const char* name, T Options::* member, const char* type, const char* help) {
    app_->add_option(name, (*options_).*member, help)->type_name(type);
    return *this;
  }
  Described& required_option(const char* name, std::string Options::* member, const char* type,
                             const char* help) {
    app_->add_option(name, (*options_).*member, help)->type_name(type)->required();
    return *this;
  }
  // May be given several times.
  Described& options(const char* name, std::vector<std::string> Options::* member, const char* type,
                     const char* help) {
    app_->add_option(name, (*options_).*member, help)->type_name(type)->allow_extra_args(false);
    return *this;
  }
  Described& flag(const char* name, bool Options::* member, const char* help) {
    app_->add_flag(name, (*options_).*member, help);
    return *this;
  }
  // One of a few words, of which the first is the default.
  Described& choice(const char* name, std::string Options::* member, const std::vector<std::string>& words,
                    const char* help) {
    CLI::Option* option = app_->add_option(name, (*options_).*member, help);
    option->check(CLI::IsMember(words).description(""));
    if (option->get_positional()) {
      option->required();
    } else {
      option->capture_default_str()->type_name("FORMAT");
    }
    return *this;
  }
  template <class T>
  Described& preset(T Options::* member, T value) {
    (*options_).*member = std::move(value);
    return *this;
  }
  // A file that need not be given.
  Described& optional_argument(const char* name, std::string Options::* member, const char* help) {
    app_->add_option(name, (*options_).*member, help);
    return *this;
  }
  // What k=v gives to a pattern or an operation.
  Described& parameters(std::vector<std::string> Options::* member) {
    app_->add_option("parameters", (*options_).*member, "k=v…");
    return *this;
  }
  Described& clock() {
    app_->add_option("--clock", options_->clock, "For tests: the time is always this")->group("");
    return *this;
  }
  Described& example(const char* line) {
    app_->footer("Example: " + std::string(line));
    return *this;
  }

 private:
  CLI::App* app_;
  std::shared_ptr<Options> options_;
};

constexpr auto kTableHelp = "The table's name, instead of the one in the design";

void add_checks(CLI::App& design, Command& chosen) {
  const auto describe = [](Described<CheckOptions> command) {
    command.argument("files", &CheckOptions::files, "FILE…")
        .choice("--format", &CheckOptions::format, {"text", "json", "sarif"},
                "How it is said: text, json or sarif");
    return command;
  };
  describe({design, "check", "Say everything that is wrong with designs, and what will surprise", chosen})
      .example("tavola design check designs/*.yaml");
  describe({design, "lint", "The same, and fail also for what will surprise", chosen})
      .preset(&CheckOptions::lints_fail, true);
  Described<FormatOptions>(design, "fmt", "Lay designs out in the usual way; comments stay", chosen)
      .argument("files", &FormatOptions::files, "FILE…")
      .flag("--check", &FormatOptions::check,
            "Change nothing: fail and name the files that are laid out otherwise");
}

void add_readings(CLI::App& design, Command& chosen) {
  Described<DocsOptions>(design, "docs", "Write a design out for people, as Markdown", chosen)
      .argument("file", &DocsOptions::file, "FILE");
  Described<ExplainOptions>(
      design, "explain",
      "Show the requests of a pattern or an operation, what they cost and what they return", chosen)
      .argument("file", &ExplainOptions::file, "FILE")
      .argument("name", &ExplainOptions::name, "PATTERN|OPERATION")
      .parameters(&ExplainOptions::arguments)
      .choice("--format", &ExplainOptions::format, {"text", "json"}, "text for people, json for programs")
      .option("--found", &ExplainOptions::found, "FILE",
              "What the reads of an operation found, as JSON: then its writes are shown; - is standard input")
      .option("--table", &ExplainOptions::table, "NAME", kTableHelp)
      .clock()
      .example("tavola design explain shop.yaml listProducts shopId=s1");
  Described<SchemaOptions>(design, "schema",
                           "The table for other tools; or, without a file, the language for editors", chosen)
      .optional_argument("file", &SchemaOptions::file, "FILE")
      .choice("--format", &SchemaOptions::format,
              {"create-table", "cloudformation", "terraform", "json-schema"},
              "create-table, cloudformation, terraform or json-schema")
      .option("--table", &SchemaOptions::table, "NAME", kTableHelp);
  Described<PlanOptions>(design, "plan", "Capacity, storage and cost for the sizes in the design", chosen)
      .argument("file", &PlanOptions::file, "FILE")
      .option("--prices", &PlanOptions::prices, "FILE", "A price list of yours")
      .choice("--format", &PlanOptions::format, {"text", "json"}, "text for people, json for programs");
  Described<DiffOptions>(design, "diff",
                         "What changed between two designs, what needs a backfill, what breaks", chosen)
      .argument("old", &DiffOptions::before, "OLD")
      .argument("new", &DiffOptions::after, "NEW")
      .choice("--format", &DiffOptions::format, {"text", "json"}, "text for people, json for programs");
}

void add_exchanges(CLI::App& design, Command& chosen) {
  const std::vector<std::string> formats{"workbench", "onetable", "cloudformation", "terraform"};
  Described<ImportOptions>(design, "import", "Draft a design from another tool's file", chosen)
      .choice("format", &ImportOptions::format, formats, "workbench|onetable|cloudformation|terraform")
      .argument("file", &ImportOptions::file, "FILE");
  Described<ExportOptions>(design, "export", "Write a design as another tool's file", chosen)
      .choice("format", &ExportOptions::format, formats, "workbench|onetable|cloudformation|terraform")
      .argument("file", &ExportOptions::file, "FILE");
  Described<InferOptions>(design, "infer", "Draft a design from what is in a table", chosen)
      .argument("table", &InferOptions::table, "TABLE")
      .option("--data", &InferOptions::data, "DIR", "The table is in this data directory")
      .option("--endpoint", &InferOptions::endpoint, "URL", "The table is at this endpoint");
  Described<SampleOptions>(design, "sample", "Believable data for a design: the same for the same seed",
                           chosen)
      .argument("file", &SampleOptions::file, "FILE")
      .choice("--size", &SampleOptions::size, {"small", "medium", "large"}, "small, medium or large")
      .option("--seed", &SampleOptions::seed, "N", "Other data for another number")
      .choice("--format", &SampleOptions::format, {"json-lines", "entities"},
              "json-lines: items as DynamoDB has them; entities: fields as plain JSON");
}

void add_status(CLI::App& design, Command& chosen) {
  Described<StatusOptions>(
      design, "status", "Say how a design is kept on its table: how strictly, what is stuck, what was broken",
      chosen)
      .argument("file", &StatusOptions::file, "FILE")
      .option("--data", &StatusOptions::data, "DIR", "The data directory (no server may have it open)")
      .option("--endpoint", &StatusOptions::endpoint, "URL",
              "Instead: the URL of a server; keys and region are those of the AWS_… variables")
      .option("--table", &StatusOptions::table, "NAME", kTableHelp)
      .choice("--enforce", &StatusOptions::enforce, {"strict", "warn", "off"},
              "From now on: refuse what breaks the design; accept and count it; do not look")
      .choice("--format", &StatusOptions::format, {"text", "json"}, "text for people, json for programs")
      .example("tavola design status shop.yaml --endpoint http://127.0.0.1:8000 --enforce warn");
}

void add_drift(CLI::App& design, Command& chosen) {
  Described<DriftOptions>(design, "drift", "Say where a table, and what is in it, is not as the design says",
                          chosen)
      .argument("file", &DriftOptions::file, "FILE")
      .option("--data", &DriftOptions::data, "DIR", "The data directory (no server may have it open)")
      .option(
          "--endpoint", &DriftOptions::endpoint, "URL",
          "Instead: the URL of a server, or of DynamoDB; keys and region are those of the AWS_… variables")
      .option("--table", &DriftOptions::table, "NAME", kTableHelp)
      .flag("--repair", &DriftOptions::repair,
            "Put right what can be computed: derived values, index keys, copies, counters, unique guards")
      .option("--samples", &DriftOptions::samples, "N", "Show so many keys of each finding")
      .choice("--format", &DriftOptions::format, {"text", "json"}, "text for people, json for programs")
      .clock()
      .example("tavola design drift shop.yaml --endpoint http://127.0.0.1:8000");
}

void add_run(CLI::App& program, Command& chosen) {
  Described<RunOptions>(program, "run", "Ask a pattern or perform an operation of a design", chosen)
      .argument("file", &RunOptions::file, "FILE")
      .argument("name", &RunOptions::name, "PATTERN|OPERATION")
      .parameters(&RunOptions::arguments)
      .option("--data", &RunOptions::data, "DIR", "The data directory (no server may have it open)")
      .option(
          "--endpoint", &RunOptions::endpoint, "URL",
          "Instead: the URL of a server, or of DynamoDB; keys and region are those of the AWS_… variables")
      .option("--table", &RunOptions::table, "NAME", kTableHelp)
      .option("--limit", &RunOptions::limit, "N", "At most so many items in the page")
      .option("--page", &RunOptions::page, "TOKEN", "The page after the one that gave this token")
      .choice("--format", &RunOptions::format, {"table", "json"}, "table for people, json for programs")
      .clock()
      .example("tavola run shop.yaml listProducts shopId=s1 --endpoint http://127.0.0.1:8000");
}

void add_migrate(CLI::App& program, Command& chosen) {
  Described<MigrateOptions>(program, "migrate",
                            "Move a table to the next revision of its design while it is used", chosen)
      .argument("file", &MigrateOptions::file, "FILE")
      .optional_argument("action", &MigrateOptions::action, "[start|status|verify|finish|abort]")
      .option("--from", &MigrateOptions::from, "REVISION", "The revision that the table has; to start")
      .option("--old-design", &MigrateOptions::old_design, "FILE",
              "The design of that revision, of a table that keeps none")
      .option("--old-table", &MigrateOptions::old_table, "NAME",
              "The table; otherwise the design's name for it")
      .option("--new-table", &MigrateOptions::new_table, "NAME",
              "The table of the new revision; otherwise the older one's name, - and the revision")
      .option("--data", &MigrateOptions::data, "DIR", "The data directory (no server may have it open)")
      .option("--endpoint", &MigrateOptions::endpoint, "URL",
              "Instead: the URL of a server; keys and region are those of the AWS_… variables")
      .choice("--format", &MigrateOptions::format, {"text", "json"}, "text for people, json for programs")
      .example(
          "tavola migrate shop.yaml --from 1 --old-design shop.r1.yaml --endpoint http://127.0.0.1:8000");
}

void add_token(CLI::App& program, Command& chosen) {
  Described<TokenOptions>(program, "token", "Make a token for development, for designs with roles", chosen)
      .required_option("--sub", &TokenOptions::sub, "NAME", "Whom it is for")
      .options("--group", &TokenOptions::groups, "NAME", "A group of theirs; may be given several times")
      .option("--expires", &TokenOptions::expires, "TIME",
              "How long it is valid: 30m, 1h, 7d; an hour if not said")
      .required_option("--secret-file", &TokenOptions::secret_file, "FILE",
                       "The file that `tavola serve --jwt-secret-file` has")
      .option("--issuer", &TokenOptions::issuer, "TEXT", "Its iss")
      .option("--audience", &TokenOptions::audience, "TEXT", "Its aud")
      .example("tavola token --sub anna --group manager --secret-file dev.secret");
}

}  // namespace

void add_design_commands(CLI::App& program, Command& chosen) {
  CLI::App* design = program.add_subcommand("design", "Check, read, convert and try designs of tables");
  design->require_subcommand(1);
  add_checks(*design, chosen);
  add_readings(*design, chosen);
  add_exchanges(*design, chosen);
  add_drift(*design, chosen);
  add_status(*design, chosen);
  add_run(program, chosen);
  add_migrate(program, chosen);
  add_token(program, chosen);
  Described<GenerateOptions>(program, "gen",
                             "Write code that uses a design: structs, keys, patterns and operations", chosen)
      .choice("language", &GenerateOptions::language, {"cpp", "ts"}, "cpp|ts")
      .argument("file", &GenerateOptions::file, "FILE");
}

}  // namespace tavola::cli
