#include "cli/tables/drift_command.h"

#include <functional>
#include <memory>
#include <optional>

#include "cli/command/open_database.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "cli/tables/status_command.h"
#include "drift/drift.h"
#include "json/reader.h"
#include "remote/remote_database.h"
#include "server/admin/requests_page.h"
#include "server/design_file.h"
#include "server/fixed_clock.h"

namespace tavola::cli {
namespace {

// Returns the requests that the server at the endpoint counted; nullopt without such a page, as on AWS or on a server without
// the design.
Result<std::optional<drift::RequestCounts>> requests_seen(const DriftOptions& options,
                                                          const design::Design& design) {
  if (options.endpoint.empty()) return std::nullopt;
  const remote::Target endpoint = remote::from_environment(options.endpoint);
  TAVOLA_TRY(const remote::HttpAnswer answer, remote::get(endpoint, server::requests_path(design.name)));
  if (answer.status != 200) return std::nullopt;
  const auto counts = drift::parse_request_counts(answer.body);
  return counts ? std::optional(*counts) : std::nullopt;
}

// Copies and counters are written by nobody but the design: a repair writes them itself, which a table that keeps its design
// strictly would refuse. Writes of others that keep the rules are still served. Should the repair be killed,
// `tavola design status --enforce strict` or the next start of the server makes it strict again.
class LenientMeanwhile {
 public:
  using Ask = std::function<Result<std::string>(const std::string& enforce)>;  // status_command.h

  LenientMeanwhile(const design::Design& design, Ask ask) : ask_(std::move(ask)) {
    const Result<std::string> page = ask_("");  // fails where nobody keeps a design, as on AWS
    if (!page) return;
    const auto said = json::parse(*page);
    if (!said) return;
    const json::Node* const enforce = said->find("enforce");
    const json::Node* const table = said->find("table");  // the server may have the design on another one
    was_strict_ = enforce != nullptr && enforce->text == "strict" && table != nullptr &&
                  table->text == design.table.name;
    if (was_strict_) static_cast<void>(ask_("warn"));  // otherwise the repair reports what is refused
  }

  // Must be called. Fails if the table keeps the enforcement that it has during a repair.
  Result<void> end() {
    if (!was_strict_) return {};
    const Result<std::string> strict = ask_("strict");
    if (strict) return {};
    return fail(
        Error(ErrorCode::Io,
              "the table was set to warn for the repair and could not be set back. Make it strict again with "
              "`tavola design status --enforce strict`: " +
                  strict.error().message()));
  }

 private:
  const Ask ask_;
  bool was_strict_ = false;
};

Result<drift::DriftReport> found(const DriftOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  TAVOLA_TRY(const std::unique_ptr<Database> database, open_database({.data = options.data,
                                                                      .endpoint = options.endpoint,
                                                                      .create = false,
                                                                      .durability = Durability::Relaxed}));
  // Before the table is read: reading it is not what others do with it.
  TAVOLA_TRY(const std::optional<drift::RequestCounts> requests, requests_seen(options, design));
  ProgressBar bar;
  const drift::DriftOptions wanted{
      .repair = options.repair,
      .samples_max = options.samples,
      .requests = requests ? &*requests : nullptr,
      .progress = [&bar](const drift::DriftProgress& now) { bar.show(now.doing, now.items, now.expected); },
      .clock = clock.get()};
  std::optional<LenientMeanwhile> lenient;
  if (options.repair) {
    lenient.emplace(design, [&](const std::string& enforce) {
      return options.endpoint.empty() ? governance_in(*database, design, enforce)
                                      : governance_at(options.endpoint, design, enforce);
    });
  }
  Result<drift::DriftReport> report = drift::find_drift(design, *database, wanted);
  if (lenient) TAVOLA_CHECK(lenient->end());
  if (report || report.error().code() != ErrorCode::ResourceNotFound) return report;
  return fail(Error::resource_not_found("there is no table " + design.table.name + " in " +
                                        (options.endpoint.empty() ? options.data : options.endpoint) +
                                        "; --table names another"));
}

}  // namespace

Output run(const DriftOptions& options) {
  const Result<drift::DriftReport> report = found(options);
  if (!report) {
    Output output = failed(report.error());
    output.exit_code = kTrouble;
    return output;
  }
  return {.out = options.format == "json" ? drift::to_json(*report) + "\n" : drift::to_text(*report),
          .exit_code = report->has_drift() ? kFailed : 0};
}

}  // namespace tavola::cli
