#include <CLI/CLI.hpp>
#include <memory>

#include "cli/design_options.h"

namespace tavola::cli {
namespace {

// A command under `tavola archive`, with the options that all of them have.
template <class Options>
class DescribedArchive {
 public:
  DescribedArchive(CLI::App& archive, const char* name, const char* help, Command& chosen)
      : app_(archive.add_subcommand(name, help)), options_(std::make_shared<Options>()) {
    app_->callback([&chosen, options = options_] { chosen = *options; });
  }
  // After the file of a design, which stands first.
  DescribedArchive& place() {
    app_->add_option("--to", options_->to, "The archive: a folder, or s3://bucket/prefix")
        ->type_name("PLACE")
        ->required();
    return option("--s3-endpoint", &Options::s3_endpoint, "URL",
                  "The server of the bucket, unless it is Amazon's own; keys and region are those of the "
                  "AWS_… variables");
  }
  DescribedArchive& file() {
    app_->add_option("file", options_->file, "FILE")->required();
    return *this;
  }
  DescribedArchive& database() {
    option("--data", &Options::data, "DIR", "The data directory (no server may have it open)");
    return option("--endpoint", &Options::endpoint, "URL", "Instead: the URL of a server, or of DynamoDB");
  }
  DescribedArchive& range() {
    option("--from", &Options::from, "MOMENT", "Only what is from this day or moment on");
    return option("--through", &Options::through, "MOMENT",
                  "Only what is up to this day or moment, its end included");
  }
  template <class Member>
  DescribedArchive& option(const char* name, Member Options::* member, const char* type, const char* help) {
    app_->add_option(name, (*options_).*member, help)->type_name(type);
    return *this;
  }
  // A member of the base is no member of Options to templates.
  DescribedArchive& option(const char* name, std::string ArchivePlace::* member, const char* type,
                           const char* help) {
    app_->add_option(name, (*options_).*member, help)->type_name(type);
    return *this;
  }
  DescribedArchive& example(const char* line) {
    app_->footer("Example: " + std::string(line));
    return *this;
  }
  CLI::App& app() { return *app_; }
  Options& options() { return *options_; }

 private:
  CLI::App* app_;
  std::shared_ptr<Options> options_;
};

}  // namespace

void add_archive_commands(CLI::App& program, Command& chosen) {
  CLI::App* archive =
      program.add_subcommand("archive", "Archive what is old, and see and restore what was archived");
  archive->require_subcommand(1);
  DescribedArchive<ArchiveRunOptions> run(
      *archive, "run", "Archive what the design says, and remove it from the table", chosen);
  run.file().place().database().option("--table", &ArchiveRunOptions::table, "NAME",
                                       "The table's name, instead of the one in the design");
  run.app().add_option("--clock", run.options().clock, "For tests: the time is always this")->group("");
  run.example("tavola archive run shop.yaml --to /var/archive --endpoint http://127.0.0.1:8000");
  DescribedArchive<ArchiveListOptions> list(*archive, "list", "Say what is in an archive", chosen);
  list.place()
      .range()
      .option("--table", &ArchiveListOptions::table, "NAME", "Only of this table")
      .option("--entity", &ArchiveListOptions::entity, "NAME", "Only of this entity");
  list.app()
      .add_option("--format", list.options().format, "text for people, json for programs")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->capture_default_str()
      ->type_name("FORMAT");
  DescribedArchive<ArchiveVerifyOptions>(*archive, "verify",
                                         "Read everything and compare it with its checksums", chosen)
      .place()
      .option("--table", &ArchiveVerifyOptions::table, "NAME", "Only of this table")
      .option("--entity", &ArchiveVerifyOptions::entity, "NAME", "Only of this entity");
  DescribedArchive<ArchiveRestoreOptions>(*archive, "restore",
                                          "Put archived items back where nothing else is", chosen)
      .file()
      .place()
      .database()
      .range()
      .option("--entity", &ArchiveRestoreOptions::entity, "NAME", "Only of this entity")
      .option("--table", &ArchiveRestoreOptions::table, "NAME",
              "The table that was archived, instead of the design's")
      .option("--into", &ArchiveRestoreOptions::into, "NAME", "Another table to put them into")
      .example("tavola archive restore shop.yaml --to /var/archive --entity Transaction --from 2024-01-01");
}

}  // namespace tavola::cli
