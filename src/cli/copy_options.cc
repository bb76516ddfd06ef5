#include <CLI/CLI.hpp>
#include <memory>

#include "cli/design_options.h"

namespace tavola::cli {

void add_copy_command(CLI::App& program, Command& chosen) {
  CLI::App* copy = program.add_subcommand(
      "copy", "Copy tables from one database to another, with what they are made of; cut, it goes on");
  const auto options = std::make_shared<CopyOptions>();
  copy->callback([&chosen, options] { chosen = *options; });
  copy->add_option("from", options->from, "FROM")->required();
  copy->add_option("to", options->to, "TO")->required();
  copy->add_option("--tables", options->tables, "The tables, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  copy->add_flag("--all", options->all, "All tables");
  constexpr std::size_t kParallelMax = 64;
  copy->add_option("--parallel", options->parallel, "Connections to each side")
      ->check(CLI::Range(std::size_t{1}, kParallelMax).description(""))
      ->capture_default_str()
      ->type_name("N");
  copy->add_option("--state", options->state,
                   "Where it is remembered how far the copy is; otherwise tavola-copy-….json in this folder, "
                   "until all is copied")
      ->type_name("FILE");
  copy->add_flag("--overwrite", options->overwrite,
                 "Copy into tables that have items: those with the same key are replaced, others stay");
  copy->add_flag("--eventual-reads", options->eventual_reads,
                 "Read eventually consistent, for half the units on AWS");
  copy->add_flag("--verify", options->verify, "Then compare both sides, item by item");
  copy->add_flag("--verify-only", options->verify_only, "Compare them and copy nothing");
  copy->add_flag("--dry-run", options->dry_run, "Say what would be done");
  copy->footer(
      "FROM and TO are a data directory, the URL of a server, or aws:REGION; keys are those of the AWS_… "
      "variables.\nExample: tavola copy aws:eu-central-1 http://127.0.0.1:8000 --tables music,orders "
      "--verify");
}

void add_repair_command(CLI::App& program, Command& chosen) {
  CLI::App* repair = program.add_subcommand(
      "repair", "Read what can be read of a damaged data directory into a new one, and say what is missing");
  const auto options = std::make_shared<RepairOptions>();
  repair->callback([&chosen, options] { chosen = *options; });
  repair->add_option("dir", options->from, "DIR")->required();
  repair->add_option("--to", options->to, "The new directory; it must not exist")
      ->required()
      ->type_name("NEW");
  repair->footer(
      "DIR is not changed. The exit code is 3 when something is missing.\n"
      "Example: tavola repair ./tavola-data --to ./tavola-repaired");
}

}  // namespace tavola::cli
