// `tavola dump` and `tavola load`: their options.
#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

template <class Options>
void add_format(CommandBuilder<Options>& command, std::vector<std::string> formats) {
  command.group("Format")
      .choice("--format", &Options::format, std::move(formats),
              "Format of the file, if its name does not show it (.jsonl, .json, .csv)")
      .choice("--compression", &Options::compression, {"none", "gzip", "zstd"},
              "Compression, if the name of the file does not show it (.gz, .zst)")
      .option("--delimiter", &Options::delimiter, "CHAR", "Delimiter of CSV: , ; : | tab or a space");
}

void add_dump(ProgramSpec& program, Command& chosen) {
  CommandBuilder<DumpOptions> dump("dump", "Write the items of a table to a file");
  dump.argument("TABLE", &DumpOptions::table, "Name of the table")
      .option("--output", &DumpOptions::file, "FILE",
              "File to write; an interrupted dump resumes with the same command. By default standard output")
      .letter("-o")
      .initial("")
      .flag("--overwrite", &DumpOptions::overwrite, "Replace an existing file")
      .number("--parallel", &DumpOptions::segments, "N", "Segments of the table to read at once", {1, 64})
      .alias("--segments");
  add_format(dump, {"jsonl", "csv"});
  add_database(dump, &DumpOptions::data, &DumpOptions::endpoint);
  dump.example("tavola dump orders -o orders.jsonl.gz --endpoint http://127.0.0.1:8000");
  program.commands.push_back(dump.choose(chosen));
}

// The columns, between commas.
Result<void> read_header(LoadOptions& options, const std::string& text) {
  options.header.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    options.header.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {};
}

void add_load(ProgramSpec& program, Command& chosen) {
  CommandBuilder<LoadOptions> load("load", "Put the items of files into a table");
  load.argument("TABLE", &LoadOptions::table, "Name of the table")
      .argument("FILE", &LoadOptions::files, "Files to read; - is standard input")
      .flag("--create", &LoadOptions::create,
            "Create the table if missing, from the definition that `tavola dump` wrote beside the file")
      .option("--definition", &LoadOptions::definition, "FILE",
              "Definition of the table for --create, in the format of create-table")
      .option("--design", &LoadOptions::design, "FILE",
              "Design by which plain JSON becomes items; by default the design of the table")
      .option("--entity", &LoadOptions::entity, "NAME",
              "Entity of plain JSON objects that have no member \"entity\"")
      .flag("--keep-going", &LoadOptions::keep_going, "Report and count invalid items, and load the others")
      .number("--parallel", &LoadOptions::threads, "N", "Batches to write at once", {1, 256})
      .alias("--threads");
  add_format(load, {"jsonl", "csv", "workbench"});
  load.custom({.name = "--header",
               .value = "NAMES",
               .help = "Columns of CSV, separated by commas; the first line of the file is then data"},
              read_header);
  add_database(load, &LoadOptions::data, &LoadOptions::endpoint);
  load.example("tavola load orders orders.jsonl.gz --create --data ./my-data");
  program.commands.push_back(load.choose(chosen));
}

}  // namespace

void add_file_commands(ProgramSpec& program, Command& chosen) {
  add_dump(program, chosen);
  add_load(program, chosen);
}

}  // namespace tavola::cli
