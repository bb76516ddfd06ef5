#include "drift/drift.h"

#include <algorithm>
#include <array>

#include "design/items/dependent_writes.h"
#include "design/items/table_schema.h"
#include "design/requests/pattern_request.h"
#include "drift/drift_counters.h"
#include "drift/drift_design.h"
#include "drift/drift_item.h"
#include "drift/drift_ledger.h"
#include "drift/drift_neighbours.h"
#include "drift/drift_writes.h"

namespace tavola::drift {
namespace {

using design::Design;
using Outcome = Mending::Outcome;

// How often an item is checked again after concurrent changes.
constexpr int kTriesMax = 5;
constexpr std::uint64_t kReportedEvery = 64;

class DriftSearch {
 public:
  DriftSearch(const Design& said, Database& database, const DriftOptions& options)
      : design_(said),
        database_(database),
        options_(options),
        writes_(database, said),
        ledger_(options.samples_max),
        neighbours_({.design = design_,
                     .writes = writes_,
                     .repair = options.repair,
                     .ambient = {.now = options.clock->now()}}) {}

  Result<DriftReport> run() {
    TAVOLA_TRY(const bool can_be_read, check_table());
    if (can_be_read) {
      TAVOLA_CHECK(each_item("reading", [this](const Item& item) { return look_at(item); }));
      items_ = progress_.items;
      if (design_.has_counters()) TAVOLA_CHECK(check_counters());
    } else {
      notes_.emplace_back("the table has other keys than the design, so its items were not read");
    }
    if (options_.checks_use) check_use();
    return report();
  }

 private:
  // ---- The table ----

  // Returns whether the keys are the design's, so that items can be decoded.
  Result<bool> check_table() {
    const CreateTableRequest wanted = design::table_schema(design_.said());
    TAVOLA_TRY(const DescribeTableResponse found,
               database_.describe_table({.table_name = wanted.table_name}));
    progress_.expected = static_cast<std::uint64_t>(std::max<std::int64_t>(found.table.item_count, 0));
    for (const std::string& line : design::differences(wanted, found.table)) add_about_table(line);
    TAVOLA_CHECK(check_time_to_live());
    return wanted.key_schema == found.table.key_schema;
  }

  Result<void> check_time_to_live() {
    const Design& design = design_.said();
    TAVOLA_TRY(const DescribeTimeToLiveResponse described,
               database_.describe_time_to_live({.table_name = design.table.name}));
    const TimeToLive& is = described.time_to_live;
    const std::string attribute = is.status == TimeToLiveStatus::Enabled ? is.attribute_name : "";
    if (attribute == design.table.ttl) return {};
    add_about_table("time to live is " + (attribute.empty() ? "off" : "by " + attribute) + ", not " +
                    (design.table.ttl.empty() ? "off" : "by " + design.table.ttl));
    return {};
  }

  void add_about_table(std::string text) {
    ledger_.add({.rule = DriftRule::Table,
                 .about = "",
                 .sample = {{}, std::move(text)},
                 .why_left = options_.repair ? "this command does not change tables" : ""});
  }

  // ---- Items ----

  Result<void> each_item(std::string_view doing, const std::function<Result<void>(const Item&)>& look) {
    progress_.doing = doing;
    progress_.items = 0;
    ScanRequest request{.table_name = design_.said().table.name, .consistent_read = true};
    do {
      if (options_.stopping && options_.stopping())
        return fail(Error(ErrorCode::Io, "the check of the table was stopped"));
      TAVOLA_TRY(ScanResponse page, database_.scan(request));
      for (const PackedItem& item : page.items) {
        const Item one = item.unpack();
        TAVOLA_CHECK(look(one));
        if (design::is_record(design_.said().table, one)) continue;  // of Tavola, seen in an import
        ++progress_.items;
        if (progress_.items % kReportedEvery == 0) report_progress();
      }
      request.exclusive_start_key = std::move(page.last_evaluated_key);
    } while (request.exclusive_start_key);
    report_progress();
    return {};
  }

  void report_progress() const {
    if (options_.progress) options_.progress(progress_);
  }

  Result<void> look_at(const Item& scanned) {
    const Item key = writes_.key_of(scanned);
    std::optional<Item> item = scanned;
    std::vector<Occurrence> mended;
    for (int tries = 0; item && tries < kTriesMax; ++tries) {
      DriftNeighbours::Found found;
      TAVOLA_CHECK(look_once(*item, found));
      if (!found.changed) {
        std::ranges::move(found.occurrences, std::back_inserter(mended));
        for (Occurrence& one : mended) ledger_.add(std::move(one));
        return {};
      }
      std::ranges::copy_if(found.occurrences, std::back_inserter(mended), &Occurrence::mended);
      TAVOLA_TRY(item, writes_.read(key));
    }
    for (Occurrence& one : mended) ledger_.add(std::move(one));
    if (item) ++restless_;
    return {};
  }

  // Checks one item. `item` becomes the repaired one.
  Result<void> look_once(Item& item, DriftNeighbours::Found& found) {
    if (design::is_record(design_.said().table, item)) {
      TAVOLA_TRY(found, neighbours_.of_record(item));
      return {};
    }
    const Inspection inspection = inspect(design_, item);
    const bool is_copy = inspection.entity != nullptr && design_.is_copy(*inspection.entity);
    // Differences of a copy are found when its source is checked.
    if (!is_copy) TAVOLA_CHECK(settle_item(item, inspection, found));
    if (found.changed || inspection.entity == nullptr) return {};
    TAVOLA_TRY(DriftNeighbours::Found beside, neighbours_.of_entity(item, inspection));
    std::ranges::move(beside.occurrences, std::back_inserter(found.occurrences));
    found.changed = beside.changed;
    return {};
  }

  Result<void> settle_item(Item& item, const Inspection& inspection, DriftNeighbours::Found& found) {
    Mending mending;
    if (options_.repair && !inspection.corrections.empty()) {
      TAVOLA_TRY(mending, writes_.correct(item, inspection.corrections));
      found.changed = mending.outcome == Outcome::Changed;
      if (found.changed) return {};
    }
    if (!inspection.corrections.empty()) ++items_to_write_;
    const Item key = writes_.key_of(item);
    for (const ItemProblem& problem : inspection.problems) {
      Occurrence one{.rule = problem.rule,
                     .about = problem.about,
                     .sample = {key, problem.text},
                     .can_be_computed = problem.can_be_computed};
      if (options_.repair && problem.can_be_computed) {
        one.settle(mending);
      } else if (options_.repair) {
        one.why_left = "the correct value cannot be computed";
      }
      found.occurrences.push_back(std::move(one));
    }
    if (!options_.repair || inspection.corrections.empty() || mending.outcome != Outcome::Done) return {};
    for (const auto& [name, value] : inspection.corrections) {
      item.erase(name);
      if (value) item.emplace(name, *value);
    }
    return {};
  }

  Result<void> check_counters() {
    DriftCounters counters({.design = design_,
                            .writes = writes_,
                            .each_item = [this](const auto& look) { return each_item("counting", look); },
                            .ledger = ledger_,
                            .totals_max = std::max<std::size_t>(options_.totals_max, 1),
                            .repair = options_.repair});
    TAVOLA_CHECK(counters.run());
    if (!counters.can_count_all()) {
      notes_.emplace_back("some items break the design, and their counters are unknown");
    }
    return {};
  }

  // ---- Use ----

  void check_use() {
    if (options_.requests == nullptr) {
      notes_.emplace_back(
          "the requests are not known: a server with --design counts them; name it with --endpoint");
      return;
    }
    const drift::RequestCounts& seen = *options_.requests;
    for (const design::Pattern& pattern : design_.said().patterns) {
      if (pattern.planned || seen.is_used(design_.said(), pattern)) continue;
      ledger_.add({.rule = DriftRule::PatternUnused,
                   .about = pattern.name,
                   .sample = {{}, "no such request since the server started"}});
    }
    for (const drift::RequestCounts::Unexplained& one : seen.unexplained) {
      if (one.operation == "GetItem" || one.count == 0) continue;
      ledger_.add({.rule = DriftRule::RequestUnexplained,
                   .about = one.operation + (one.index.empty() ? "" : " of " + one.index),
                   .sample = {{}, one.example}},
                  one.count);
    }
  }

  DriftReport report() {
    DriftReport report{.design = design_.said().name,
                       .table = design_.said().table.name,
                       .items = items_,
                       .items_to_write = items_to_write_,
                       .repair = options_.repair,
                       .findings = std::move(ledger_).take(),
                       .notes = std::move(notes_)};
    std::ranges::copy(design_.notes(), std::back_inserter(report.notes));
    std::ranges::copy(neighbours_.notes(), std::back_inserter(report.notes));
    if (restless_ > 0) {
      report.notes.push_back(std::to_string(restless_) + " items changed during every check; run this again");
    }
    return report;
  }

  const DriftDesign design_;
  Database& database_;
  const DriftOptions& options_;
  const DriftWrites writes_;
  DriftLedger ledger_;
  DriftNeighbours neighbours_;
  DriftProgress progress_;
  std::uint64_t items_ = 0;
  std::uint64_t items_to_write_ = 0;
  std::uint64_t restless_ = 0;
  std::vector<std::string> notes_;
};

constexpr std::array<std::string_view, 17> kNames{"table",
                                                  "unmatched-item",
                                                  "field",
                                                  "derived-value",
                                                  "index-key",
                                                  "entity-attribute",
                                                  "state-key",
                                                  "copy-missing",
                                                  "copy-different",
                                                  "copy-orphaned",
                                                  "counter",
                                                  "guard-missing",
                                                  "guard-orphaned",
                                                  "not-unique",
                                                  "reference",
                                                  "pattern-unused",
                                                  "request-unexplained"};
static_assert(kNames.size() == static_cast<std::size_t>(DriftRule::RequestUnexplained) + 1);

}  // namespace

std::string_view name_of(DriftRule rule) { return kNames.at(static_cast<std::size_t>(rule)); }

bool is_about_use(DriftRule rule) {
  return rule == DriftRule::PatternUnused || rule == DriftRule::RequestUnexplained;
}

bool DriftReport::has_drift() const {
  return std::ranges::any_of(findings, [](const DriftFinding& finding) {
    return !is_about_use(finding.rule) && finding.mended < finding.count;
  });
}

Result<DriftReport> find_drift(const Design& design, Database& database, const DriftOptions& options) {
  return DriftSearch(design, database, options).run();
}

}  // namespace tavola::drift
