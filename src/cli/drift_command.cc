#include "cli/drift_command.h"

#include <memory>
#include <optional>

#include "api/requests_page.h"
#include "cli/design_file.h"
#include "cli/fixed_clock.h"
#include "cli/progress_bar.h"
#include "cli/spoken.h"
#include "cli/which_database.h"
#include "upstream/upstream.h"
#include "workshop/drift.h"

namespace tavola::cli {
namespace {

constexpr int kTrouble = 2;

// What the server at the endpoint counted; nothing where there is no such page, as on AWS or of a server without the design.
Result<std::optional<runner::RequestCounts>> requests_seen(const DriftOptions& options,
                                                           const design::Design& design) {
  if (options.endpoint.empty()) return std::nullopt;
  const upstream::Endpoint endpoint = upstream::from_environment(options.endpoint);
  TAVOLA_TRY(const upstream::HttpAnswer answer, upstream::get(endpoint, api::requests_path(design.name)));
  if (answer.status != 200) return std::nullopt;
  const auto counts = runner::parse_request_counts(answer.body);
  return counts ? std::optional(*counts) : std::nullopt;
}

// A data directory that is repaired is used by nobody else: what is written is right by itself, and a design that is kept would
// refuse it.
class EnforcementPause {
 public:
  EnforcementPause(Database& database, std::string table, bool needed)
      : database_(database), table_(std::move(table)) {
    const auto described = database_.describe_governance({.table_name = table_});
    if (needed && described && described->governed_by) before_ = described->governed_by->enforcement;
    if (before_) set(Enforcement::Off);
  }
  ~EnforcementPause() {
    if (before_) set(*before_);
  }
  EnforcementPause(const EnforcementPause&) = delete;
  EnforcementPause& operator=(const EnforcementPause&) = delete;

 private:
  // Should it fail, `tavola serve --design` makes it what the design says.
  void set(Enforcement enforcement) {
    static_cast<void>(database_.govern_table({.table_name = table_, .enforcement = enforcement}));
  }

  Database& database_;
  const std::string table_;
  std::optional<Enforcement> before_;
};

Result<workshop::DriftReport> found(const DriftOptions& options) {
  TAVOLA_TRY(const design::Design design, runnable_design(options.file, options.table));
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, clock_of(options.clock));
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = options.endpoint, .create = false}));
  // Before the table is read: reading it is not what others do with it.
  TAVOLA_TRY(const std::optional<runner::RequestCounts> requests, requests_seen(options, design));
  ProgressBar bar;
  const workshop::DriftOptions wanted{
      .repair = options.repair,
      .samples_max = options.samples,
      .requests = requests ? &*requests : nullptr,
      .progress =
          [&bar](const workshop::DriftProgress& now) { bar.show(now.doing, now.items, now.expected); },
      .clock = clock.get()};
  const EnforcementPause pause(*database, design.table.name, options.repair);
  Result<workshop::DriftReport> report = workshop::find_drift(design, *database, wanted);
  if (report || report.error().code() != ErrorCode::ResourceNotFound) return report;
  return fail(Error::resource_not_found("there is no table " + design.table.name + " in " +
                                        (options.endpoint.empty() ? options.data : options.endpoint) +
                                        "; --table names another"));
}

}  // namespace

Output run(const DriftOptions& options) {
  const Result<workshop::DriftReport> report = found(options);
  if (!report) {
    Output output = failed(report.error());
    output.exit_code = kTrouble;
    return output;
  }
  return {.out = options.format == "json" ? workshop::to_json(*report) + "\n" : workshop::to_text(*report),
          .exit_code = report->has_drift() ? kFailed : 0};
}

}  // namespace tavola::cli
