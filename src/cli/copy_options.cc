// `tavola copy` and `tavola repair`: their options.
#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

Result<void> read_tables(CopyOptions& options, const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) options.tables.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {};
}

}  // namespace

void add_copy_command(ProgramSpec& program, Command& chosen) {
  constexpr const char* kSideHelp = "Data directory, URL of a server, or aws:REGION";
  program.commands.push_back(
      CommandBuilder<CopyOptions>(
          "copy",
          "Copy tables with their items, indexes and settings from one database to another; "
          "an interrupted copy resumes with the same command")
          .argument("FROM", &CopyOptions::from, kSideHelp)
          .argument("TO", &CopyOptions::to, kSideHelp)
          .custom({.name = "--tables",
                   .value = "NAMES",
                   .help = "Tables to copy, separated by commas",
                   .repeats = true},
                  read_tables)
          .flag("--all", &CopyOptions::all, "Copy all tables")
          .number("--parallel", &CopyOptions::parallel, "N", "Connections to each side", {1, 64})
          .option("--state", &CopyOptions::state, "FILE",
                  "File that records the progress; by default tavola-copy-….json in this folder, removed at "
                  "the end")
          .flag("--overwrite", &CopyOptions::overwrite,
                "Copy into tables that have items: items with the same key are replaced, others are kept")
          .flag("--eventual-reads", &CopyOptions::eventual_reads,
                "Use eventually consistent reads, which cost half the capacity on AWS")
          .flag("--verify", &CopyOptions::verify, "Compare both sides item by item after the copy")
          .flag("--verify-only", &CopyOptions::verify_only, "Compare both sides and copy nothing")
          .flag("--dry-run", &CopyOptions::dry_run, "Print what would be done")
          .notes("Keys, and for a URL the region, come from the AWS_… variables. The exit code is 1 if the "
                 "tables differ, "
                 "and 3 if items were refused.")
          .example("tavola copy aws:eu-central-1 http://127.0.0.1:8000 --tables music,orders --verify")
          .choose(chosen));
}

void add_repair_command(ProgramSpec& program, Command& chosen) {
  program.commands.push_back(
      CommandBuilder<RepairOptions>(
          "repair",
          "Recover what is readable in a damaged data directory into a new one, and report "
          "what is missing")
          .argument("DIR", &RepairOptions::from, "Damaged data directory; it is not changed")
          .option("--to", &RepairOptions::to, "DIR", "New data directory; it must not exist")
          .required()
          .notes("The exit code is 3 if something is missing.")
          .example("tavola repair ./tavola-data --to ./tavola-repaired")
          .choose(chosen));
}

}  // namespace tavola::cli
