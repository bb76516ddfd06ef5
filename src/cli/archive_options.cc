// `tavola archive …`: its options.
#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

constexpr const char* kS3Help =
    "Server of the bucket; by default Amazon S3. Keys and region come from the AWS_… variables";

// Where the archive is. `--to` was the name of all commands once, also of those that read the archive.
template <class Options>
void add_source(CommandBuilder<Options>& command) {
  command
      .option(
          "--from", [](Options& o) -> auto& { return o.from_place; }, "PLACE",
          "Archive to read: a folder, or s3://bucket/prefix")
      .option(
          "--to", [](Options& o) -> auto& { return o.to; }, "PLACE", "Older name of --from")
      .hidden()
      .option("--s3-endpoint", [](Options& o) -> auto& { return o.s3_endpoint; }, "URL", kS3Help);
}

// With the older --to, --from was a time.
template <class Options>
Result<void> settle_source(Options& options) {
  if (options.to.empty()) {
    std::swap(options.to, options.from_place);
  } else if constexpr (requires { options.since; }) {
    if (options.since.empty()) std::swap(options.since, options.from_place);
  }
  if (options.to.empty())
    return fail(Error::validation("--from is missing: the archive, a folder or s3://bucket/prefix"));
  return {};
}

template <class Options>
void add_range(CommandBuilder<Options>& command) {
  command.option("--since", &Options::since, "TIME", "Only items from this day or time on")
      .option("--through", &Options::through, "TIME", "Only items up to this day or time, inclusive");
}

void add_archive_run(ProgramSpec& program, Command& chosen) {
  CommandBuilder<ArchiveRunOptions> run(
      "archive run", "Archive what the retention rules of a design say, and remove it from the table");
  run.argument("FILE", &ArchiveRunOptions::file, "File of the design")
      .option(
          "--to", [](ArchiveRunOptions& o) -> auto& { return o.to; }, "PLACE",
          "Archive to write: a folder, or s3://bucket/prefix")
      .required()
      .option(
          "--s3-endpoint", [](ArchiveRunOptions& o) -> auto& { return o.s3_endpoint; }, "URL", kS3Help)
      .option("--table", &ArchiveRunOptions::table, "NAME", kTableHelp)
      .option("--clock", &ArchiveRunOptions::clock, "TIME", "For tests: fixed time")
      .hidden();
  add_database(run, &ArchiveRunOptions::data, &ArchiveRunOptions::endpoint);
  run.example("tavola archive run shop.yaml --to /var/archive --endpoint http://127.0.0.1:8000");
  program.commands.push_back(run.choose(chosen));
}

void add_list(ProgramSpec& program, Command& chosen) {
  CommandBuilder<ArchiveListOptions> list("archive list", "List the batches of an archive");
  add_source(list);
  add_range(list);
  list.option("--table", &ArchiveListOptions::table, "NAME", "Only items of this table")
      .option("--entity", &ArchiveListOptions::entity, "NAME", "Only items of this entity")
      .choice("--format", &ArchiveListOptions::format, {"text", "json"}, "text for people, json for programs")
      .check(settle_source<ArchiveListOptions>)
      .example("tavola archive list --from /var/archive --since 2024-01-01");
  program.commands.push_back(list.choose(chosen));
}

void add_verify(ProgramSpec& program, Command& chosen) {
  CommandBuilder<ArchiveVerifyOptions> verify("archive verify",
                                              "Read an archive and compare it with its checksums");
  add_source(verify);
  verify.option("--table", &ArchiveVerifyOptions::table, "NAME", "Only items of this table")
      .option("--entity", &ArchiveVerifyOptions::entity, "NAME", "Only items of this entity")
      .check(settle_source<ArchiveVerifyOptions>)
      .example("tavola archive verify --from s3://backups/shop");
  program.commands.push_back(verify.choose(chosen));
}

void add_restore(ProgramSpec& program, Command& chosen) {
  CommandBuilder<ArchiveRestoreOptions> restore(
      "archive restore", "Put archived items back into a table; existing items are kept");
  restore.argument("FILE", &ArchiveRestoreOptions::file, "File of the design");
  add_source(restore);
  add_range(restore);
  restore.option("--entity", &ArchiveRestoreOptions::entity, "NAME", "Only items of this entity")
      .option("--table", &ArchiveRestoreOptions::table, "NAME",
              "Name of the archived table, instead of the one in the design")
      .option("--into", &ArchiveRestoreOptions::into, "NAME",
              "Table to restore into, instead of the archived one");
  add_database(restore, &ArchiveRestoreOptions::data, &ArchiveRestoreOptions::endpoint);
  restore.check(settle_source<ArchiveRestoreOptions>)
      .example(
          "tavola archive restore shop.yaml --from /var/archive --entity Transaction --since 2024-01-01");
  program.commands.push_back(restore.choose(chosen));
}

}  // namespace

void add_archive_commands(ProgramSpec& program, Command& chosen) {
  program.families.push_back({"archive", "Archive old items; list, verify and restore them"});
  add_archive_run(program, chosen);
  add_list(program, chosen);
  add_verify(program, chosen);
  add_restore(program, chosen);
}

}  // namespace tavola::cli
