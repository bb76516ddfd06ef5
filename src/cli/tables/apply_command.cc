#include "cli/tables/apply_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command/checked_table.h"
#include "cli/command/open_database.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "cli/output/question.h"
#include "cli/tables/server_adoption.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "drift/adopt.h"
#include "remote/remote_database.h"
#include "server/admin/apply_plan.h"
#include "server/admin/table_design_page.h"
#include "server/design_file.h"
#include "server/designs.h"
#include "server/fixed_clock.h"

namespace tavola::cli {
namespace {

// The design that a table has.
struct StoredDesign {
  std::optional<design::Design> design{};
  bool is_unreadable = false;  // it has one, of a version that this program cannot read
  bool is_adopting = false;
  std::string served_from{};  // the file with which the server was started
};

// The place of the table: a data directory, or a server, which does the work itself.
class Site {
 public:
  static Result<Site> open(const ApplyOptions& options, const design::Design& design) {
    Site site(options, design);
    std::error_code ignored;  // a failure shows when the directory is opened
    const bool is_new = options.endpoint.empty() && !std::filesystem::exists(options.data, ignored);
    if (is_new) return site;
    TAVOLA_TRY(site.database_, open_database({.data = options.data,
                                              .endpoint = options.endpoint,
                                              .create = false,
                                              .durability = Durability::Relaxed}));
    return site;
  }

  // Returns nullopt if the table does not exist.
  Result<std::optional<TableDescription>> describe() const {
    if (!database_) return std::nullopt;
    Result<DescribeTableResponse> found = database_->describe_table({.table_name = design_.table.name});
    if (found) return std::move(found->table);
    if (found.error().code() == ErrorCode::ResourceNotFound) return std::nullopt;
    return fail(found.error());
  }

  Result<StoredDesign> stored() const { return options_.endpoint.empty() ? stored_here() : stored_there(); }

  Result<drift::DriftReport> read_items(const Clock& clock) const {
    ProgressBar bar;
    return drift::find_drift(
        design_, *database_,
        {.samples_max = options_.samples,
         .checks_use = false,
         .progress =
             [&bar](const drift::DriftProgress& now) { bar.show(now.doing, now.items, now.expected); },
         .clock = &clock});
  }

  Result<CheckedTable> apply(const Clock& clock, const ApplyOptions& options) {
    return options.endpoint.empty() ? apply_here(clock, options) : apply_there(options);
  }

 private:
  Site(const ApplyOptions& options, const design::Design& design) : options_(options), design_(design) {}

  Result<StoredDesign> stored_here() const {
    StoredDesign stored;
    TAVOLA_TRY(const DescribeTableResponse found,
               database_->describe_table({.table_name = design_.table.name}));
    if (!found.table.governed_by) return stored;
    stored.is_adopting = found.table.governed_by->adopting;
    const auto governing = database_->governing_design(design_.table.name);
    stored.is_unreadable = !governing || !*governing;
    if (!stored.is_unreadable) stored.design = **governing;
    return stored;
  }

  Result<StoredDesign> stored_there() const {
    const remote::Target server = remote::from_environment(options_.endpoint);
    TAVOLA_TRY(const AdminPage page,
               admin_page(server, remote::get(server, server::table_design_path(design_.table.name))));
    StoredDesign stored{.is_adopting = page.root.text_at("adopting") == "true",
                        .served_from = page.root.text_at("servedFrom")};
    const std::string text = page.root.text_at("design");
    if (text.empty()) return stored;
    stored.design = design::load_stored(text, page.root.text_at("file")).design;
    stored.is_unreadable = !stored.design;
    if (stored.design) stored.design->table.name = design_.table.name;
    return stored;
  }

  Result<CheckedTable> apply_here(const Clock& clock, const ApplyOptions& options) {
    if (!database_) {
      TAVOLA_TRY(
          database_,
          open_database(
              {.data = options.data, .endpoint = {}, .create = true, .durability = Durability::Relaxed}));
    }
    ProgressBar bar;
    const drift::AdoptOptions wanted{
        .create_table = true,
        .delete_indexes = options.delete_indexes,
        .samples_max = options.samples,
        .progress = [&bar](const drift::DriftProgress& now) { bar.show(now.doing, now.items, now.expected); },
        .clock = &clock};
    TAVOLA_TRY(const drift::Adopted adopted, drift::adopt_table(design_, *database_, wanted));
    return CheckedTable{.text = drift::to_text(adopted),
                        .json = drift::to_json(adopted),
                        .is_complete = adopted.is_complete()};
  }

  Result<CheckedTable> apply_there(const ApplyOptions& options) const {
    const remote::Target server = remote::from_environment(options.endpoint);
    const std::string path = server::table_design_path(design_.table.name);
    const server::TableDesignRequest request{
        .design = design_.text, .file_name = design_.file, .delete_indexes = options.delete_indexes};
    TAVOLA_TRY(AdminPage page, admin_page(server, remote::put(server, path, server::to_json(request))));
    return wait_for_adoption(server, path, std::move(page));
  }

  const ApplyOptions& options_;
  const design::Design& design_;
  std::unique_ptr<Database> database_;  // null: a data directory that does not exist yet
};

std::string where(const ApplyOptions& options) {
  return options.endpoint.empty() ? "--data " + options.data : "--endpoint " + options.endpoint;
}

// Explains how the items of a table with other keys move to one with the design's.
Error needs_migration(const ApplyOptions& options, const design::Design& design, const StoredDesign& stored,
                      const Error& why) {
  return Error::validation(
      why.message() + ". Give the design a new `revision`, describe under `revisions` how it changes " +
      "(docs/MIGRATE.md), and run\n  " +
      server::migrate_command(design, stored.design ? &*stored.design : nullptr, where(options)) +
      (options.table.empty() ? "" : " --old-table " + options.table));
}

Result<server::ApplyPlan> make_plan(const ApplyOptions& options, const design::Design& design,
                                    const Site& site, const Clock& clock) {
  server::ApplyPlan plan{.file = options.file, .design = design.name, .table = design.table.name};
  TAVOLA_TRY(const std::optional<TableDescription> table, site.describe());
  plan.creates_table = !table;
  if (!table) return plan;
  TAVOLA_TRY(const StoredDesign stored, site.stored());
  Result<server::ApplyPlan> planned =
      server::plan_of(design, {.description = *table,
                               .stored = stored.design ? &*stored.design : nullptr,
                               .is_unreadable = stored.is_unreadable,
                               .is_adopting = stored.is_adopting,
                               .served_from = stored.served_from});
  if (!planned) return fail(needs_migration(options, design, stored, planned.error()));
  plan = *std::move(planned);
  plan.file = options.file;
  if (plan.is_empty() || options.no_scan) return plan;
  TAVOLA_TRY(plan.read, site.read_items(clock));
  return plan;
}

// Asks about the plan that is shown; what is allowed is put into `options`. Returns whether it shall be done.
bool confirm(const server::ApplyPlan& plan, ApplyOptions& options) {
  if (!ask_yes("Apply?")) return false;
  const bool has_more = !plan.indexes.unused.empty() || !plan.indexes.replaced.empty();
  if (has_more && !options.delete_indexes)
    options.delete_indexes = ask_yes("Delete the indexes that the design does not have, or has otherwise?");
  return true;
}

std::string shown(const ApplyOptions& options, const server::ApplyPlan& plan, const CheckedTable* outcome) {
  if (options.format == "json") {
    return "{\"plan\":" + server::to_json(plan) +
           (outcome == nullptr ? "" : ",\"applied\":" + outcome->json) + "}\n";
  }
  return to_text(plan) + (outcome == nullptr ? "" : "\n" + outcome->text);
}

Output not_confirmed(std::string out) {
  return {.out = std::move(out),
          .err = "tavola: not applied: nobody confirmed it. --yes confirms without a question\n",
          .exit_code = kRefused};
}

std::string note_about_file(const ApplyOptions& options, const server::ApplyPlan& plan) {
  if (plan.served_from.empty() || plan.served_from == options.file) return {};
  return "note: the server was started with --design " + plan.served_from +
         "; change that file, too, because the server applies it when it starts again\n";
}

Result<Output> applied(ApplyOptions options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  TAVOLA_TRY(Site site, Site::open(options, design));
  TAVOLA_TRY(const server::ApplyPlan plan, make_plan(options, design, site, *clock));
  const bool has_nothing = plan.is_empty() && (plan.indexes.unused.empty() || !options.delete_indexes);
  if (has_nothing || options.dry_run) {
    const bool has_losers = options.dry_run && (plan.breaking() > 0 || plan.left() > 0);
    return Output{.out = shown(options, plan, nullptr), .exit_code = has_losers ? kFailed : 0};
  }
  const bool asks = !options.yes && options.format != "json" && can_ask();
  if (!options.yes && !asks) return not_confirmed(shown(options, plan, nullptr));
  if (asks) {
    const std::string text = to_text(plan) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    if (!confirm(plan, options)) return not_confirmed("");
  }
  const Result<CheckedTable> outcome = site.apply(*clock, options);
  if (!outcome) {
    return fail(Error(outcome.error().code(),
                      outcome.error().message() + "\nThe same command continues when the cause is removed"));
  }
  return Output{.out = asks ? outcome->text : shown(options, plan, &*outcome),
                .err = note_about_file(options, plan),
                .exit_code = outcome->is_complete ? 0 : kFailed};
}

}  // namespace

Output run(const ApplyOptions& options) {
  Result<Output> output = applied(options);
  if (output) return *std::move(output);
  Output failure = failed(output.error());
  failure.exit_code = kTrouble;
  return failure;
}

}  // namespace tavola::cli
