// Designs while they are edited: checked, planned, applied, tested, and drafted from the items of a table.
//
// Every function answers a question of a page: JSON in, JSON out. A question has {"text": the design, "file": its name for messages,
// "of": the served design that it is an edit of}; `of` decides the table if the text names the same one as before.
#pragma once

#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "lens/question.h"
#include "server/admin/apply_plan.h"
#include "server/admin/design_changes.h"
#include "server/console/drift_looks.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

// Thread safety: all methods. Borrows all it is given.
class DesignDrafts {
 public:
  struct Parts {
    const ServedDesigns& served;
    DesignChanges& changes;
    DriftLooks& looks;
    Database& database;  // what a plan reads
    const Clock& clock;
  };
  explicit DesignDrafts(const Parts& parts) : parts_(parts) {}

  // → {"name", "table", "findings": [error or lint, …]}; `name` and `table` only without errors.
  static constexpr std::string_view kCheckMembers = "text file of";
  Result<std::string> check(const lens::Question& question) const;

  // → {"plan": what `tavola design apply --dry-run --format json` prints}, or, while items are read, {"doing", "items", "expected",
  // "page"}: the same question with this `page` goes on.
  static constexpr std::string_view kPlanMembers = "text file of page";
  Result<std::string> plan(const lens::Question& question) const;

  // Starts the application. → {"name", "table"}; progress() says how far it is.
  static constexpr std::string_view kApplyMembers = "text file of deleteIndexes";
  Result<std::string> apply(const lens::Question& question) const;

  // {"table": name} → {"exists", "adopting", "governedBy": name or null, "served": name or null, "adoption": {…} or null,
  //                   "migration": {…} or null}
  static constexpr std::string_view kProgressMembers = "table";
  Result<std::string> progress(const lens::Question& question) const;

  // With "cases", the text of a file of cases. → what `tavola design test --format json` prints. Each case has a database in memory of its own.
  static constexpr std::string_view kCasesMembers = "text file of cases";
  static Result<std::string> run_cases(const lens::Question& question);

  // {"table": name} → {"text": a first design}, from some of the items that the asker may read.
  static constexpr std::string_view kInferMembers = "table";
  static Result<std::string> infer(const lens::Question& question, Database& database);

 private:
  // Returns a design without errors.
  Result<design::Design> design_of(const lens::Question& question) const;
  void name_table(const lens::Question& question, design::Design& design) const;
  Result<std::string> with_items(const lens::Question& question, const design::Design& design,
                                 ApplyPlan plan) const;

  const Parts parts_;
};

// Returns the migration of a table as JSON (migration_page.h); "null" if it does not migrate.
std::string migration_json(std::string_view table, Database& database);

}  // namespace tavola::server
