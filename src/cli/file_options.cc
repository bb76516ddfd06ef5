#include "cli/file_options.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace tavola::cli {
namespace {

// What both commands can be told.
template <class Options>
void add_shared(CLI::App& app, Options& options) {
  app.add_option("--data", options.data, "The data directory (no server may have it open)")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_option("--endpoint", options.endpoint, "Instead: the URL of a server, or of DynamoDB")
      ->type_name("URL");
  app.add_option("--format", options.format,
                 "jsonl, csv or workbench, where the file's name does not tell it (.jsonl, .json, .csv)")
      ->type_name("FORMAT");
  app.add_option("--compression", options.compression,
                 "none, gzip or zstd, where the file's name does not tell it (.gz, .zst)")
      ->type_name("KIND");
  app.add_option("--delimiter", options.delimiter,
                 "Between the fields of CSV: one of , ; : | tab and the blank")
      ->type_name("CHAR");
}

void add_dump(CLI::App& program, Command& chosen) {
  CLI::App* app = program.add_subcommand("dump", "Write the items of a table to a file");
  const auto options = std::make_shared<DumpOptions>();
  app->callback([&chosen, options] { chosen = *options; });
  app->add_option("table", options->table, "TABLE")->required();
  app->add_option(
         "-o,--output", options->file,
         "The file; the same command goes on where an earlier one was cut. Without it: standard output")
      ->type_name("FILE");
  add_shared(*app, *options);
  constexpr unsigned kSegmentsMax = 64;
  app->add_option("--segments", options->segments, "So many parts of the table are read side by side")
      ->check(CLI::Range(1U, kSegmentsMax).description(""))
      ->capture_default_str()
      ->type_name("N");
  app->add_flag("--overwrite", options->overwrite, "Replace a file that is there already");
  app->footer("Example: tavola dump orders -o orders.jsonl.gz --endpoint http://127.0.0.1:8000");
}

void add_load(CLI::App& program, Command& chosen) {
  CLI::App* app = program.add_subcommand("load", "Put the items of files into a table");
  const auto options = std::make_shared<LoadOptions>();
  app->callback([&chosen, options] { chosen = *options; });
  app->add_option("table", options->table, "TABLE")->required();
  app->add_option("files", options->files, "FILE...")->required();
  add_shared(*app, *options);
  app->add_option("--header", options->header,
                  "The columns of CSV, between commas; then the first line is no header")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  app->add_flag(
      "--create", options->create,
      "Create the table when it is missing, from the definition that `tavola dump` left beside the file");
  app->add_option("--definition", options->definition,
                  "For --create: the definition, as create-table takes it")
      ->type_name("FILE");
  app->add_flag("--keep-going", options->keep_going,
                "Tell and count items that are wrong, and load the others");
  constexpr unsigned kThreadsMax = 256;
  app->add_option("--threads", options->threads, "So many batches are written side by side")
      ->check(CLI::Range(1U, kThreadsMax).description(""))
      ->capture_default_str()
      ->type_name("N");
  app->footer("Example: tavola load orders orders.jsonl.gz --create --data ./my-data");
}

}  // namespace

void add_file_commands(CLI::App& program, Command& chosen) {
  add_dump(program, chosen);
  add_load(program, chosen);
}

}  // namespace tavola::cli
