// Adoption: a design takes over a table that has items, or a changed design the table of the previous one.
//
//   missing indexes are created ─▶ the table gets the design, and violations are counted, not refused ─▶ every item is checked; index
//   keys, derived fields, copies, counters and guards are written ─▶ the design is enforced ─▶ every item is checked once more
//
// A changed design that says the same about items and indexes (design/revisions/same_items.h) is enforced at once: nothing is checked.
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
  bool create_table = false;     // if it is missing
  bool delete_indexes = false;   // IndexChanges::replaced and ::unused
  std::size_t samples_max = 20;  // of each finding
  std::function<void(const DriftProgress&)> progress{};
  std::function<bool()> stopping{};  // empty: never
  const Clock* clock = &Clock::system();
};

// The changes that make the indexes of a table those of a design.
struct IndexChanges {
  std::vector<GlobalIndex> missing{};  // must be created
  std::vector<GlobalIndex>
      replaced{};  // have other keys or another projection in the table: must be deleted and created
  std::vector<std::string> unused{};  // are not in the design: may be deleted
};

// Fails with Validation if the table has other keys than the design, or other local indexes: these cannot be changed, and the
// items must move to another table.
Result<IndexChanges> index_changes(const design::Design& design, const TableDescription& table);

struct Adopted {
  bool created_table = false;
  std::vector<std::string> created_indexes{};  // dry run: that would be created
  std::vector<std::string> deleted_indexes{};
  DriftReport found{};  // with the numbers of repairs
  DriftReport left{};   // of the last check; dry run: empty
  bool is_enforced = false;

  // Returns whether every item follows the design. Indexes that the table has in addition do not matter.
  bool is_complete() const;
};

// Returns whether adopt_table() has something to do: the table has another design or none, an index is missing, it was
// restored and awaits a design, or an adoption was stopped.
Result<bool> needs_adoption(const design::Design& design, Database& database);

// Fails with Validation if adopt_table() would: the table, or an index, has other keys than the design.
Result<void> check_can_adopt(const design::Design& design, Database& database, const AdoptOptions& options);

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
