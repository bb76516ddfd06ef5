// Adoption: a design takes over a table that has items.
//
//   missing indexes are created ─▶ the table gets the design, and violations are counted, not refused ─▶ every item is checked; index
//   keys, derived fields, copies, counters and guards are written ─▶ the design is enforced ─▶ every item is checked once more
//
// It may be stopped at any time and begun again, because every step finds what is already done. Items that cannot follow the design
// stay as they are and are reported; the next write to one must make it right.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "drift/drift.h"

namespace tavola::drift {

struct AdoptOptions {
  bool dry_run = false;          // finds what would be done, and changes nothing
  std::size_t samples_max = 20;  // of each finding
  std::function<void(const DriftProgress&)> progress{};
  std::function<bool()> stopping{};  // empty: never
  const Clock* clock = &Clock::system();
};

struct Adopted {
  std::vector<std::string> created_indexes{};  // dry run: that would be created
  DriftReport found{};                         // with the numbers of repairs
  DriftReport left{};                          // of the last check; dry run: empty
  bool is_enforced = false;
};

// Returns whether the table has items that this design does not govern yet: it has another design or none, or an adoption was stopped.
Result<bool> needs_adoption(const design::Design& design, Database& database);

// Fails with Validation if adopt_table() would: the table, or an index, has other keys than the design.
Result<void> check_can_adopt(const design::Design& design, Database& database);

// Fails with ResourceNotFound if there is no table, with Validation if its keys or those of an index are not the design's, and with
// Io if stopping() returned true.
Result<Adopted> adopt_table(const design::Design& design, Database& database, const AdoptOptions& options);

// Checks a table after items were brought in as they are (`as_is`, tavola/items.h), while others may use it: repairs what follows from
// the design (index keys, guards, copies, counters), and then checks everything once more. Fails as find_drift() does.
Result<Adopted> check_imported(const design::Design& design, Database& database, const AdoptOptions& options);

std::string to_text(const Adopted& adopted);
// Returns the report of check_imported(): one line, and the items that cannot follow the design.
std::string import_text(const Adopted& checked);
std::string to_json(const Adopted& adopted);

}  // namespace tavola::drift
