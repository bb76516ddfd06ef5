#include "cli/file_commands.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/command/checked_table.h"
#include "cli/command/open_database.h"
#include "cli/design_arguments.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "database/as_is_database.h"
#include "drift/import_mark.h"
#include "server/design_file.h"
#include "transfer/dump/dump_table.h"
#include "transfer/dump/load_files.h"

namespace tavola::cli {
namespace {

namespace fs = std::filesystem;

std::string counted_items(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " item" : " items");
}

// One character, or \t as people write it.
Result<std::string> delimiter_of(const std::string& said) {
  if (said == "\\t" || said == "tab") return std::string("\t");
  constexpr std::string_view kDelimiters = ",;:|\t ";
  if (said.empty() || (said.size() == 1 && kDelimiters.contains(said.front()))) return said;
  return fail(bad_parameter("delimiter", "--delimiter must be , ; : | tab or a space (was " + said + ")"));
}

// Names a database the same way from every working directory.
std::string called(const std::string& data, const std::string& endpoint) {
  if (!endpoint.empty()) return endpoint;
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(data, ignored);
  return ignored ? data : path.string();
}

Error with_place(const Error& error, const std::string& table, const std::string& database) {
  if (error.code() != ErrorCode::ResourceNotFound || !error.message().starts_with("Requested resource")) {
    return error;
  }
  return {error.code(), "there is no table " + table + " in " + database};
}

Result<transfer::FileKind> kind_of_dump(const DumpOptions& options) {
  // Standard output has no file name that selects a format: use the one that can hold every type.
  if (options.file == "-" && options.format.empty()) {
    return transfer::kind_of("-.jsonl", options.format, options.compression);
  }
  return transfer::kind_of(options.file, options.format, options.compression);
}

Result<Output> dumped(const DumpOptions& options) {
  TAVOLA_TRY(const transfer::FileKind kind, kind_of_dump(options));
  TAVOLA_TRY(const std::string delimiter, delimiter_of(options.delimiter));
  TAVOLA_TRY(
      const std::unique_ptr<Database> database,
      open_database(
          {.data = options.data, .endpoint = options.endpoint, .create = false, .mark = remote::Mark::AsIs}));
  AsIsDatabase as_is(*database);
  ProgressBar bar;
  const std::string doing = "dumping " + options.table;
  const std::string from = called(options.data, options.endpoint);
  const Result<transfer::Dumped> done = transfer::dump_table(
      {.database = as_is,
       .from = from,
       .table_name = options.table,
       .file = options.file,
       .kind = kind,
       .delimiter = delimiter,
       .segments = options.segments,
       .overwrites = options.overwrite,
       .watch = [&](std::uint64_t items, std::uint64_t expected) { bar.show(doing, items, expected); }});
  if (!done) return fail(with_place(done.error(), options.table, from));
  std::string summary = "Dumped " + counted_items(done->items) + " of " + options.table;
  if (options.file != "-") summary += " to " + options.file;
  if (done->items_before > 0)
    summary += ", " + std::to_string(done->items_before) + " of them before it was interrupted";
  summary += ".\n";
  for (const std::string& remark : done->remarks) summary += remark + "\n";
  return Output{.err = summary};
}

Error not_checked(const std::string& table, const Error& why) {
  return {why.code(), "the items are in the table " + table + ", which was not checked against its design: " +
                          why.message() + ". Run the same command again, or `tavola design drift --repair`"};
}

// Returns the design by which plain JSON becomes items: the one that is named, or that of the table; null if there is none.
Result<std::shared_ptr<const design::Design>> design_of(const LoadOptions& options, Database& database) {
  std::shared_ptr<const design::Design> found;
  if (!options.design.empty()) {
    TAVOLA_TRY(design::Design named, server::runnable_design(options.design, options.table));
    found = std::make_shared<const design::Design>(std::move(named));
  } else {
    TAVOLA_TRY(found,
               design_of_table({.database = database, .endpoint = options.endpoint, .table = options.table}));
  }
  if (!found && !options.entity.empty()) {
    return fail(bad_parameter("entity", "--entity needs a design, and the table " + options.table +
                                            " has none; name its file with --design"));
  }
  return found;
}

// Prints mistakes at once, up to a number that a person can read.
class Complaints {
 public:
  explicit Complaints(bool prints) : prints_(prints) {}
  void add(const transfer::Origin& origin, const Error& error) {
    constexpr std::uint64_t kPrintedMax = 100;
    if (!prints_ || ++count_ > kPrintedMax + 1) return;
    const std::string line = count_ > kPrintedMax ? "further invalid items are counted and not shown"
                                                  : transfer::at_origin(origin, error.message());
    // Over the line of the progress bar, which is drawn anew.
    std::fprintf(stderr, "%s%s\n", ProgressBar::is_seen_by_people() ? "\r\x1b[K" : "", line.c_str());
  }

 private:
  const bool prints_;
  std::uint64_t count_ = 0;
};

Result<Output> loaded(const LoadOptions& options) {
  TAVOLA_TRY(const std::string delimiter, delimiter_of(options.delimiter));
  TAVOLA_TRY(const std::unique_ptr<Database> database, open_database({.data = options.data,
                                                                      .endpoint = options.endpoint,
                                                                      .create = options.create,
                                                                      .mark = remote::Mark::AsIs}));
  drift::MarkedImports marked(*database, Clock::system());
  AsIsDatabase as_is(marked);
  TAVOLA_TRY(const std::shared_ptr<const design::Design> design, design_of(options, *database));
  ProgressBar bar("bytes");
  const std::string doing = "loading " + options.table;
  Complaints complaints(options.keep_going);
  const std::string into = called(options.data, options.endpoint);
  const Result<transfer::Loaded> done = transfer::load_files(
      {.database = as_is,
       .into = into,
       .table_name = options.table,
       .files = {options.files.begin(), options.files.end()},
       .format = options.format,
       .compression = options.compression,
       .csv = {.delimiter = delimiter, .header = options.header},
       .design = design,
       .entity = options.entity,
       .creates = options.create,
       .definition = options.definition,
       .keeps_going = options.keep_going,
       .threads = options.threads,
       .report = [&](const transfer::Origin& origin, const Error& error) { complaints.add(origin, error); },
       .watch = [&](std::uint64_t bytes, std::uint64_t expected) { bar.show(doing, bytes, expected); }});
  // A load that failed may have put items, too.
  const auto checked =
      check_imported({.database = *database, .endpoint = options.endpoint, .table = options.table});
  if (!done) return fail(with_place(done.error(), options.table, into));
  Output output;
  for (const std::string& remark : done->remarks) output.err += remark + "\n";
  output.err += std::string(done->is_created ? "Created " + options.table + ". " : "") + "Loaded " +
                counted_items(done->items) + " into " + options.table;
  if (done->records_before > 0) {
    output.err += "; " + counted_items(done->records_before) + " were loaded before it was interrupted";
  }
  output.err += ".\n";
  if (done->wrong > 0) {
    output.err += counted_items(done->wrong) + " were invalid and are not in the table.\n";
    output.exit_code = kFailed;
  }
  if (!checked) return fail(not_checked(options.table, checked.error()));
  if (*checked) {
    output.err += (*checked)->text;
    if (!(*checked)->is_complete) output.exit_code = kFailed;
  }
  return output;
}

Output file_output(const Result<Output>& output) { return output ? *output : failed(output.error()); }

}  // namespace

Output run(const DumpOptions& options) { return file_output(dumped(options)); }
Output run(const LoadOptions& options) { return file_output(loaded(options)); }

}  // namespace tavola::cli
