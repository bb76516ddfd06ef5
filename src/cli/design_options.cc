// The commands on designs: `tavola design …`, `run`, `migrate`, `token` and `gen`.
#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

const std::vector<std::string> kTextOrJson{"text", "json"};
constexpr const char* kFormatHelp = "text for people, json for programs";
constexpr const char* kDesignHelp = "File of the design; - is standard input";
constexpr const char* kServerHelp =
    "URL of a server instead of --data; keys and region come from the AWS_… variables";

template <class Options>
void add_clock(CommandBuilder<Options>& command) {
  command.option("--clock", &Options::clock, "TIME", "For tests: fixed time").hidden();
}

void add_checks(ProgramSpec& program, Command& chosen) {
  const auto describe = [&](CommandBuilder<CheckOptions> command) {
    command.argument("FILE", &CheckOptions::files, "Files of designs; *.cases.yaml are skipped")
        .choice("--format", &CheckOptions::format, {"text", "json", "sarif"}, "Format of the report");
    program.commands.push_back(command.choose(chosen));
  };
  CommandBuilder<CheckOptions> check("design check",
                                     "Report the errors and the lints of designs; fail if there are errors");
  check.example("tavola design check designs/*.yaml");
  describe(check);
  CommandBuilder<CheckOptions> lint("design lint",
                                    "Report the errors and the lints of designs; fail if there are any");
  lint.preset(&CheckOptions::lints_fail, true).example("tavola design lint designs/*.yaml");
  describe(lint);
  program.commands.push_back(
      CommandBuilder<FormatOptions>(
          "design fmt", "Format designs and print the names of the files that changed; comments are kept")
          .argument("FILE", &FormatOptions::files, "Files of designs; *.cases.yaml are skipped")
          .flag("--check", &FormatOptions::check,
                "Change nothing; fail and name the files that are not formatted")
          .example("tavola design fmt --check designs/*.yaml")
          .choose(chosen));
}

void add_test(ProgramSpec& program, Command& chosen) {
  program.commands.push_back(
      CommandBuilder<TestOptions>("design test", "Run the test cases of designs, each on an empty database")
          .optional_argument(
              "FILE", &TestOptions::files,
              "Files of cases, their designs, or folders with *.cases.yaml; by default . and designs")
          .option("--filter", &TestOptions::filter, "TEXT",
                  "Run the cases whose name contains TEXT, or that cover the requirement TEXT")
          .option("--junit", &TestOptions::junit, "FILE", "Also write the results to this file, as JUnit XML")
          .choice("--format", &TestOptions::format, kTextOrJson, kFormatHelp)
          .option("--endpoint", &TestOptions::endpoint, "URL",
                  "Run the cases at a server, or at DynamoDB, instead of in memory: their tables are created "
                  "and deleted there, and may not exist; keys and region come from the AWS_… variables")
          .alias("--endpoint-url")
          .notes("The exit code is 1 if a case failed, and 2 if a file is wrong or no case was found.")
          .example("tavola design test designs --junit results.xml")
          .choose(chosen));
}

void add_explain(ProgramSpec& program, Command& chosen) {
  CommandBuilder<ExplainOptions> explain(
      "design explain", "Show the requests of a pattern or an operation, their cost and what they return");
  explain.argument("FILE", &ExplainOptions::file, kDesignHelp)
      .optional_argument("NAME", &ExplainOptions::name,
                         "Pattern or operation; without it, their names are listed")
      .optional_argument("k=v", &ExplainOptions::arguments, "Parameters of the pattern or operation")
      .choice("--format", &ExplainOptions::format, kTextOrJson, kFormatHelp)
      .option("--found", &ExplainOptions::found, "FILE",
              "JSON with the items that the reads of an operation found; then its writes are shown; - is "
              "standard input")
      .flag("--upstream", &ExplainOptions::upstream,
            "Show what an operation, or each one, costs more through a server with --upstream")
      .option("--table", &ExplainOptions::table, "NAME", kTableHelp);
  add_clock(explain);
  explain.example("tavola design explain shop.yaml listProducts shopId=s1");
  program.commands.push_back(explain.choose(chosen));
}

void add_readings(ProgramSpec& program, Command& chosen) {
  program.commands.push_back(
      CommandBuilder<DocsOptions>("design docs", "Write the documentation of a design, as Markdown")
          .argument("FILE", &DocsOptions::file, kDesignHelp)
          .example("tavola design docs shop.yaml > shop.md")
          .choose(chosen));
  add_explain(program, chosen);
  program.commands.push_back(
      CommandBuilder<SchemaOptions>(
          "design schema", "Write the table of a design for other tools, or the JSON Schema of the language")
          .optional_argument("FILE", &SchemaOptions::file, "File of the design; json-schema needs none")
          .choice("--format", &SchemaOptions::format,
                  {"create-table", "cloudformation", "terraform", "json-schema"}, "Format of the output")
          .option("--table", &SchemaOptions::table, "NAME", kTableHelp)
          .example("tavola design schema shop.yaml --format terraform")
          .choose(chosen));
  program.commands.push_back(
      CommandBuilder<PlanOptions>("design plan",
                                  "Estimate capacity, storage and cost for the sizes in the design")
          .argument("FILE", &PlanOptions::file, kDesignHelp)
          .option("--prices", &PlanOptions::prices, "FILE", "Price list, instead of the built-in one")
          .choice("--format", &PlanOptions::format, kTextOrJson, kFormatHelp)
          .example("tavola design plan shop.yaml")
          .choose(chosen));
  program.commands.push_back(
      CommandBuilder<DiffOptions>("design diff",
                                  "Compare two designs: what changed, what needs a backfill, what breaks")
          .argument("OLD", &DiffOptions::before, "File of the older design")
          .argument("NEW", &DiffOptions::after, "File of the newer design")
          .choice("--format", &DiffOptions::format, kTextOrJson, kFormatHelp)
          .notes("The exit code is 1 if a change breaks stored items or clients, and 2 if a design cannot be "
                 "read.")
          .example("tavola design diff shop.r1.yaml shop.yaml")
          .choose(chosen));
}

void add_exchanges(ProgramSpec& program, Command& chosen) {
  const std::vector<std::string> formats{"workbench", "onetable", "cloudformation", "terraform"};
  program.commands.push_back(
      CommandBuilder<ImportOptions>("design import", "Draft a design from the file of another tool")
          .choice_argument("FORMAT", &ImportOptions::format,
                           {"workbench", "onetable", "cloudformation", "terraform", "data-model"},
                           "Format of the file")
          .argument("FILE", &ImportOptions::file, "File of the other tool; - is standard input")
          .notes("workbench: a model of NoSQL Workbench. onetable: a schema in JSON. cloudformation: a "
                 "template in "
                 "YAML or JSON, also as CDK and SST write it, or a request of CreateTable. terraform: HCL. "
                 "data-model: dynamodb_data_model.json of AWS's modelling assistant.")
          .example("tavola design import cloudformation cdk.out/ShopStack.template.json > shop.yaml")
          .choose(chosen));
  program.commands.push_back(
      CommandBuilder<ExportOptions>("design export", "Write a design as the file of another tool")
          .choice_argument("FORMAT", &ExportOptions::format, formats, "Format of the output")
          .argument("FILE", &ExportOptions::file, kDesignHelp)
          .example("tavola design export workbench shop.yaml > shop.json")
          .choose(chosen));
  CommandBuilder<InferOptions> infer("design infer", "Draft a design from the items of a table");
  infer.argument("TABLE", &InferOptions::table, "Name of the table");
  add_database(infer, &InferOptions::data, &InferOptions::endpoint);
  infer.example("tavola design infer orders --endpoint http://127.0.0.1:8000 > orders.yaml");
  program.commands.push_back(infer.choose(chosen));
  program.commands.push_back(
      CommandBuilder<SampleOptions>("design sample",
                                    "Generate realistic data for a design; the same seed gives the same data")
          .argument("FILE", &SampleOptions::file, kDesignHelp)
          .choice("--size", &SampleOptions::size, {"small", "medium", "large"}, "How much data")
          .number("--seed", &SampleOptions::seed, "N", "Seed of the data")
          .choice("--format", &SampleOptions::format, {"json-lines", "entities"},
                  "json-lines: items in DynamoDB JSON; entities: fields in plain JSON")
          .example("tavola design sample shop.yaml | tavola load shop - --format jsonl --endpoint "
                   "http://127.0.0.1:8000")
          .choose(chosen));
}

void add_init(ProgramSpec& program, Command& chosen) {
  CommandBuilder<InitOptions> init("design init",
                                   "Write a first design, from a few answers, a table or samples");
  init.optional_argument("FILE", &InitOptions::file, "File to write; by default the name of the design")
      .optional_argument("SOURCE", &InitOptions::sources,
                         "With --from: the table, or files with items as JSON")
      .choice("--from", &InitOptions::from, {"table", "samples"},
              "Draft it from the items of a table, or from files, instead of from answers")
      .option("--name", &InitOptions::name, "NAME", "Name of the design; by default that of the file")
      .option("--hash", &InitOptions::hash, "NAME",
              "Attribute with the partition key; by default PK, or what the samples show")
      .option("--range", &InitOptions::range, "NAME",
              "Attribute with the sort key, - for none; by default SK, or what the samples show")
      .option("--entity", &InitOptions::entities, "NAME", "Kind of item, with the usual key")
      .flag("--force", &InitOptions::force, "Replace the file if it exists");
  add_database(init, &InitOptions::data, &InitOptions::endpoint);
  init.notes("It asks at a terminal; elsewhere every answer is the default.")
      .example("tavola design init shop.yaml --from table orders --endpoint http://127.0.0.1:8000");
  program.commands.push_back(init.choose(chosen));
}

void add_drift(ProgramSpec& program, Command& chosen) {
  CommandBuilder<DriftOptions> drift("design drift",
                                     "Report where a table and its items differ from the design");
  drift.argument("FILE", &DriftOptions::file, kDesignHelp)
      .flag("--repair", &DriftOptions::repair,
            "Repair what can be computed: derived values, index keys, copies, counters, unique guards")
      .number("--samples", &DriftOptions::samples, "N", "Keys to show for each finding")
      .option("--table", &DriftOptions::table, "NAME", kTableHelp)
      .choice("--format", &DriftOptions::format, kTextOrJson, kFormatHelp);
  add_clock(drift);
  add_database(drift, &DriftOptions::data, &DriftOptions::endpoint);
  drift.notes("The exit code is 1 if there is drift, and 2 if the table could not be examined.")
      .example("tavola design drift shop.yaml --endpoint http://127.0.0.1:8000");
  program.commands.push_back(drift.choose(chosen));
}

void add_adopt(ProgramSpec& program, Command& chosen) {
  CommandBuilder<AdoptOptions> adopt("design adopt", "Let a design take over a table that has items");
  adopt.argument("FILE", &AdoptOptions::file, kDesignHelp)
      .flag("--dry-run", &AdoptOptions::dry_run,
            "Report what would change and which items cannot follow the design")
      .number("--samples", &AdoptOptions::samples, "N", "Keys to show for each finding")
      .option("--table", &AdoptOptions::table, "NAME", kTableHelp)
      .choice("--format", &AdoptOptions::format, kTextOrJson, kFormatHelp);
  add_clock(adopt);
  add_database(adopt, &AdoptOptions::data, &AdoptOptions::endpoint, kServerHelp);
  adopt
      .notes(
          "Creates missing indexes, checks every item, writes index keys, derived values, copies, counters "
          "and unique guards, and then "
          "enforces the design. The exit code is 1 if items are left that cannot follow the design, and 2 if "
          "the table was not taken "
          "over.")
      .example("tavola design adopt shop.yaml --data tavola-data --dry-run");
  program.commands.push_back(adopt.choose(chosen));
}

void add_apply(ProgramSpec& program, Command& chosen) {
  CommandBuilder<ApplyOptions> apply(
      "design apply", "Give a table a new or changed design: show the plan, ask, and do it while it is used");
  apply.argument("FILE", &ApplyOptions::file, kDesignHelp)
      .flag("--yes", &ApplyOptions::yes, "Do not ask; needed where nobody can answer")
      .flag("--dry-run", &ApplyOptions::dry_run, "Show the plan and change nothing")
      .flag("--no-scan", &ApplyOptions::no_scan,
            "Make the plan without reading the items, which takes long in a large table")
      .flag("--delete-indexes", &ApplyOptions::delete_indexes,
            "Delete indexes that the design does not have, and create anew those with other keys or another "
            "projection")
      .number("--samples", &ApplyOptions::samples, "N", "Keys to show for each finding")
      .option("--table", &ApplyOptions::table, "NAME", kTableHelp)
      .choice("--format", &ApplyOptions::format, kTextOrJson, kFormatHelp);
  add_clock(apply);
  add_database(apply, &ApplyOptions::data, &ApplyOptions::endpoint, kServerHelp);
  apply
      .notes(
          "Creates the table if it is missing, and missing indexes; rewrites the items whose computed values "
          "change; enforces the design; checks every item. If it is interrupted, the same command continues. "
          "The exit code is 0 if every item follows the design, 1 if some cannot (with --dry-run: or if "
          "something breaks), 2 if it failed, and 3 if nobody confirmed it.")
      .example("tavola design apply shop.yaml --endpoint http://127.0.0.1:8000");
  program.commands.push_back(apply.choose(chosen));
}

void add_status(ProgramSpec& program, Command& chosen) {
  CommandBuilder<StatusOptions> status(
      "design status",
      "Show how strictly a table enforces its design, which items are stuck and which rules were broken");
  status.argument("FILE", &StatusOptions::file, kDesignHelp)
      .choice("--enforce", &StatusOptions::enforce, {"strict", "warn", "off"},
              "Change the enforcement: strict refuses writes that break the design, warn accepts and counts "
              "them, off "
              "checks nothing")
      .option("--table", &StatusOptions::table, "NAME", kTableHelp)
      .choice("--format", &StatusOptions::format, kTextOrJson, kFormatHelp);
  add_database(status, &StatusOptions::data, &StatusOptions::endpoint, kServerHelp);
  status.example("tavola design status shop.yaml --endpoint http://127.0.0.1:8000 --enforce warn");
  program.commands.push_back(status.choose(chosen));
}

void add_run(ProgramSpec& program, Command& chosen) {
  CommandBuilder<RunOptions> run("run", "Run a pattern or an operation of a design");
  run.argument("FILE", &RunOptions::file, kDesignHelp)
      .optional_argument("NAME", &RunOptions::name,
                         "Pattern or operation; without it, their names are listed")
      .optional_argument("k=v", &RunOptions::arguments, "Parameters of the pattern or operation")
      .number("--limit", &RunOptions::limit, "N", "Items per page at most", {1, 1'000'000'000})
      .option("--page", &RunOptions::page, "TOKEN", "Page that follows the one that returned this token")
      .option("--table", &RunOptions::table, "NAME", kTableHelp)
      .choice("--format", &RunOptions::format, {"table", "json"}, "table for people, json for programs");
  add_clock(run);
  add_database(run, &RunOptions::data, &RunOptions::endpoint);
  run.example("tavola run shop.yaml listProducts shopId=s1 --endpoint http://127.0.0.1:8000");
  program.commands.push_back(run.choose(chosen));
}

void add_migrate(ProgramSpec& program, Command& chosen) {
  CommandBuilder<MigrateOptions> migrate(
      "migrate", "Move a table to the next revision of its design while it is in use");
  migrate.argument("FILE", &MigrateOptions::file, "File of the new revision of the design")
      .optional_argument("STEP", &MigrateOptions::action, "start, status, verify, finish or abort")
      .option("--from", &MigrateOptions::from, "REVISION", "Revision of the existing table; needed to start")
      .option("--old-design", &MigrateOptions::old_design, "FILE",
              "Design of that revision; needed if the table does not keep one")
      .option("--old-table", &MigrateOptions::old_table, "NAME",
              "Name of the existing table; by default the one in the design")
      .option("--new-table", &MigrateOptions::new_table, "NAME",
              "Name of the new table; by default that of the existing one, - and the revision")
      .choice("--format", &MigrateOptions::format, kTextOrJson, kFormatHelp);
  add_database(migrate, &MigrateOptions::data, &MigrateOptions::endpoint, kServerHelp);
  migrate.example(
      "tavola migrate shop.yaml --from 1 --old-design shop.r1.yaml --endpoint http://127.0.0.1:8000");
  program.commands.push_back(migrate.choose(chosen));
}

void add_policy(ProgramSpec& program, Command& chosen) {
  program.commands.push_back(
      CommandBuilder<PolicyOptions>(
          "design policy",
          "Print the resource policy by which nobody but the servers with --upstream writes to the table")
          .argument("FILE", &PolicyOptions::file, kDesignHelp)
          .option("--role", &PolicyOptions::role, "ARN",
                  "Role of the servers, as arn:aws:iam::123456789012:role/tavola")
          .required()
          .option("--region", &PolicyOptions::region, "REGION", "Region of the table, as eu-central-1")
          .required()
          .option("--table", &PolicyOptions::table, "NAME", kTableHelp)
          .example("tavola design policy shop.yaml --role arn:aws:iam::123456789012:role/tavola --region "
                   "eu-central-1")
          .choose(chosen));
}

void add_token(ProgramSpec& program, Command& chosen) {
  program.commands.push_back(
      CommandBuilder<TokenOptions>("token", "Make a development token, for designs with roles")
          .option("--sub", &TokenOptions::sub, "NAME", "Name of the person it is for")
          .required()
          .option("--group", &TokenOptions::groups, "NAME", "Group of the person")
          .option("--expires", &TokenOptions::expires, "TIME", "How long it is valid: 30m, 1h, 7d")
          .option("--secret-file", &TokenOptions::secret_file, "FILE",
                  "File given to `tavola serve --jwt-secret-file`")
          .required()
          .option("--issuer", &TokenOptions::issuer, "TEXT", "Issuer (iss)")
          .option("--audience", &TokenOptions::audience, "TEXT", "Audience (aud)")
          .example("tavola token --sub anna --group manager --secret-file dev.secret")
          .choose(chosen));
}

}  // namespace

void add_design_commands(ProgramSpec& program, Command& chosen) {
  program.families.push_back({"design", "Check, document, convert and try the designs of tables"});
  add_checks(program, chosen);
  add_test(program, chosen);
  add_readings(program, chosen);
  add_exchanges(program, chosen);
  add_init(program, chosen);
  add_drift(program, chosen);
  add_adopt(program, chosen);
  add_apply(program, chosen);
  add_status(program, chosen);
  add_run(program, chosen);
  add_migrate(program, chosen);
  add_policy(program, chosen);
  add_token(program, chosen);
  program.commands.push_back(
      CommandBuilder<GenerateOptions>("gen",
                                      "Generate code for a design: structs, keys, patterns and operations")
          .choice_argument("LANGUAGE", &GenerateOptions::language, {"cpp", "ts", "py"},
                           "Language of the code")
          .argument("FILE", &GenerateOptions::file, kDesignHelp)
          .option("--output", &GenerateOptions::output, "FILE", "File to write. By default standard output")
          .letter("-o")
          .initial("")
          .flag("--v1", &GenerateOptions::by_name,
                "With ts: requests to /v1 alone, for pages; the module imports nothing")
          .example("tavola gen py shop.yaml -o shop.py")
          .choose(chosen));
}

}  // namespace tavola::cli
