#include "cli/archive_commands.h"

#include <memory>
#include <optional>

#include "base/timestamps.h"
#include "cli/command/checked_table.h"
#include "cli/command/open_database.h"
#include "cli/design_arguments.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "database/as_is_database.h"
#include "drift/import_mark.h"
#include "json/writer.h"
#include "runner/runner.h"
#include "server/design_file.h"
#include "server/fixed_clock.h"
#include "transfer/archive/archive.h"

namespace tavola::cli {
namespace {

using transfer::ListedBatch;

Result<std::unique_ptr<transfer::Destination>> open(const ArchivePlace& place) {
  return transfer::open_destination({.to = place.to, .s3_endpoint = place.s3_endpoint});
}

// A moment, or a day: its begin, or its end.
enum class Edge : bool { Begin, End };
Result<std::optional<WallTime>> moment(const std::string& option, const std::string& said, Edge edge) {
  if (said.empty()) return std::optional<WallTime>();
  if (const std::optional<WallTime> exact = parse_iso8601(said)) return exact;
  const std::optional<WallTime> day = parse_date(said);
  if (!day) {
    return fail(bad_parameter(
        option,
        "--" + option + " must be a day or a time, 2024-01-31 or 2024-01-31T12:00:00Z (was " + said + ")"));
  }
  using std::chrono::milliseconds;
  return std::optional(edge == Edge::Begin ? *day : *day + std::chrono::days(1) - milliseconds(1));
}

template <class Options>
Result<transfer::ArchiveSelection> selection_of(const Options& options, const std::string& table) {
  transfer::ArchiveSelection selection{.table = table, .entity = options.entity};
  TAVOLA_TRY(selection.from, moment("since", options.since, Edge::Begin));
  TAVOLA_TRY(selection.through, moment("through", options.through, Edge::End));
  return selection;
}

bool archives_anything(const design::Design& design) {
  for (const design::Retention& retention : design.retention) {
    if (retention.kind == design::Retention::Kind::Archive) return true;
  }
  return false;
}

std::string text_of(const transfer::Archived& done, const design::Design& design,
                    const transfer::Destination& destination) {
  std::string text;
  if (done.finished > 0) text += "Resumed " + counted(done.finished, "batch") + " of an earlier run.\n";
  if (done.items == 0 && done.finished == 0) {
    return "Nothing in " + design.table.name + " is old enough to be archived.\n";
  }
  text += "Archived " + counted(done.items, "item") + " in " + counted(done.batches, "batch") + " to " +
          destination.described() + "; removed " + counted(done.removal.removed, "item") + " from " +
          design.table.name + ".\n";
  if (done.removal.kept > 0) {
    text += counted(done.removal.kept, "item") +
            " changed during the run and were kept; the next run archives them if they are still old.\n";
  }
  return text;
}

Result<Output> archived(const ArchiveRunOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  if (!archives_anything(design)) {
    return fail(
        Error::validation("the design " + design.name +
                          " archives nothing: it has no retention rule with `archive`, `after` and `by`"));
  }
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  TAVOLA_TRY(const std::unique_ptr<transfer::Destination> destination, open(options));
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = options.endpoint, .create = false}));
  TAVOLA_TRY(const DescribeTableResponse described,
             database->describe_table({.table_name = design.table.name}));
  ProgressBar bar;
  const auto expected = static_cast<std::uint64_t>(described.table.item_count);
  const auto watch = [&](const transfer::ArchiveProgress& progress) {
    bar.show(progress.entity + ": " + std::to_string(progress.archived) + " archived, " +
                 std::to_string(progress.removed) + " removed, reading",
             progress.looked_at, expected);
  };
  TAVOLA_TRY(const transfer::Archived done, transfer::run_archive({.database = *database,
                                                                   .design = design,
                                                                   .destination = *destination,
                                                                   .clock = *clock,
                                                                   .watch = watch}));
  return Output{.out = text_of(done, design, *destination)};
}

std::string list_json(const std::vector<ListedBatch>& batches) {
  std::string out = "[";
  for (const ListedBatch& batch : batches) {
    out += out.size() == 1 ? "\n" : ",\n";
    json::Writer json(out);
    json.begin_object();
    json.name("name").text(batch.name);
    json.name("removed").boolean(batch.is_removed);
    std::string manifest = transfer::to_json(batch.manifest);
    manifest.pop_back();  // its newline
    json.name("manifest").raw() += manifest;
    json.end_object();
  }
  return out + "\n]\n";
}

Result<Output> listed(const ArchiveListOptions& options) {
  TAVOLA_TRY(const std::unique_ptr<transfer::Destination> destination, open(options));
  TAVOLA_TRY(const transfer::ArchiveSelection selection, selection_of(options, options.table));
  TAVOLA_TRY(const std::vector<ListedBatch> batches, transfer::list_archive(*destination, selection));
  if (options.format == "json") return Output{.out = list_json(batches)};
  if (batches.empty())
    return Output{.err = "No matching items are archived in " + destination->described() + ".\n"};
  Output output;
  std::uint64_t items = 0;
  for (const ListedBatch& batch : batches) {
    const transfer::Manifest& manifest = batch.manifest;
    items += manifest.count;
    output.out += iso8601(manifest.oldest) + " to " + iso8601(manifest.newest) + "  " + manifest.entity +
                  " of " + manifest.table + ", " + counted(manifest.count, "item") + ", " +
                  std::to_string(manifest.compressed.bytes) + " bytes" +
                  (batch.is_removed ? "" : ", not yet removed from the table") + "\n  " + batch.name + "\n";
  }
  output.out += counted(items, "item") + " in " + counted(batches.size(), "batch") + "\n";
  return output;
}

Result<Output> verified(const ArchiveVerifyOptions& options) {
  TAVOLA_TRY(const std::unique_ptr<transfer::Destination> destination, open(options));
  ProgressBar bar;
  TAVOLA_TRY(const transfer::Verified found,
             transfer::verify_archive(*destination, {.table = options.table, .entity = options.entity},
                                      [&bar](const transfer::ArchiveProgress& progress) {
                                        bar.show("verifying " + progress.entity, progress.archived, 0);
                                      }));
  Output output;
  for (const std::string& problem : found.problems) output.out += "damaged: " + problem + "\n";
  for (const std::string& unfinished : found.unfinished) output.out += "unfinished: " + unfinished + "\n";
  output.out += counted(found.items, "item") + " in " + counted(found.batches, "batch") + " are intact" +
                (found.problems.empty() ? "" : "; " + counted(found.problems.size(), "problem")) + "\n";
  output.exit_code = found.problems.empty() ? 0 : kFailed;
  return output;
}

Result<Output> restored(const ArchiveRestoreOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  TAVOLA_TRY(const transfer::ArchiveSelection selection, selection_of(options, design.table.name));
  if (!options.entity.empty() && design.find_entity(options.entity) == nullptr) {
    return fail(bad_parameter("entity", design.name + " has no entity " + options.entity));
  }
  TAVOLA_TRY(const std::unique_ptr<transfer::Destination> destination, open(options));
  TAVOLA_TRY(
      const std::unique_ptr<Database> database,
      open_database(
          {.data = options.data, .endpoint = options.endpoint, .create = true, .mark = remote::Mark::AsIs}));
  if (options.endpoint.empty() && options.into.empty()) {
    TAVOLA_CHECK(runner::Runner({.database = *database, .design = design}).prepare_table());
  }
  drift::MarkedImports marked(*database, Clock::system());
  AsIsDatabase as_is(marked);
  ProgressBar bar;
  const transfer::ArchiveParts parts{.database = as_is,
                                     .design = design,
                                     .destination = *destination,
                                     .watch = [&bar](const transfer::ArchiveProgress& progress) {
                                       bar.show("restoring " + progress.entity, progress.archived, 0);
                                     }};
  TAVOLA_TRY(const transfer::Restored done, transfer::restore_archive(parts, selection, options.into));
  Output output;
  for (const std::string& key : done.different) {
    output.out += "exists with other values than archived, and was kept: " + key + "\n";
  }
  output.out +=
      "Restored " + counted(done.restored, "item") + "; " + std::to_string(done.present) +
      " already existed" +
      (done.different.empty() ? ""
                              : ", " + std::to_string(done.different.size()) + " have other values now") +
      ".\n";
  TAVOLA_TRY(const std::optional<CheckedTable> checked,
             check_imported({.database = *database,
                             .endpoint = options.endpoint,
                             .table = options.into.empty() ? design.table.name : options.into}));
  if (checked && !checked->is_complete) output.out += checked->text;
  return output;
}

Output archive_output(const Result<Output>& output) { return output ? *output : failed(output.error()); }

}  // namespace

Output run(const ArchiveRunOptions& options) { return archive_output(archived(options)); }
Output run(const ArchiveListOptions& options) { return archive_output(listed(options)); }
Output run(const ArchiveVerifyOptions& options) { return archive_output(verified(options)); }
Output run(const ArchiveRestoreOptions& options) { return archive_output(restored(options)); }

}  // namespace tavola::cli
