#include "cli/tables/adopt_command.h"

#include <memory>

#include "cli/command/checked_table.h"
#include "cli/command/open_database.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "cli/tables/server_adoption.h"
#include "drift/adopt.h"
#include "remote/remote_database.h"
#include "server/admin/governance_page.h"
#include "server/design_file.h"
#include "server/fixed_clock.h"

namespace tavola::cli {
namespace {

Result<CheckedTable> adopt_at(const AdoptOptions& options, const design::Design& design) {
  const remote::Target server = remote::from_environment(options.endpoint);
  const std::string path = server::governance_path(design.name);
  Result<AdminPage> page = admin_page(server, remote::put(server, path, R"({"adopt": true})"));
  if (page) return wait_for_adoption(server, path, *std::move(page));
  return fail(Error(page.error().code(), page.error().message() + "\n`tavola design apply " + options.file +
                                             " --endpoint " + options.endpoint +
                                             "` works on a server that does not serve this design"));
}

Result<CheckedTable> adopt_in(const AdoptOptions& options, const design::Design& design) {
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  TAVOLA_TRY(const std::unique_ptr<Database> database, open_database({.data = options.data,
                                                                      .endpoint = options.endpoint,
                                                                      .create = false,
                                                                      .durability = Durability::Relaxed}));
  ProgressBar bar;
  const drift::AdoptOptions wanted{
      .dry_run = options.dry_run,
      .samples_max = options.samples,
      .progress = [&bar](const drift::DriftProgress& now) { bar.show(now.doing, now.items, now.expected); },
      .clock = clock.get()};
  TAVOLA_TRY(const drift::Adopted adopted, drift::adopt_table(design, *database, wanted));
  return CheckedTable{
      .text = drift::to_text(adopted),
      .json = drift::to_json(adopted),
      .is_complete = adopted.is_complete() && (!options.dry_run || adopted.created_indexes.empty())};
}

Result<CheckedTable> adopt(const AdoptOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  const bool by_server = !options.endpoint.empty() && !options.dry_run;
  return by_server ? adopt_at(options, design) : adopt_in(options, design);
}

}  // namespace

Output run(const AdoptOptions& options) {
  const Result<CheckedTable> outcome = adopt(options);
  if (!outcome) {
    Output output = failed(outcome.error());
    output.exit_code = kTrouble;
    return output;
  }
  return {.out = options.format == "json" ? outcome->json + "\n" : outcome->text,
          .exit_code = outcome->is_complete ? 0 : kFailed};
}

}  // namespace tavola::cli
