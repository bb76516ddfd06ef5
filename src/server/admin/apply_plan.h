// The plan of `tavola design apply`: the difference between a design and the table that shall get it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "design/model/model.h"
#include "drift/adopt.h"
#include "drift/drift.h"
#include "workshop/diff/diff.h"

namespace tavola::server {

struct ApplyPlan {
  std::string file{};
  std::string design{};
  std::string table{};
  bool creates_table = false;
  std::int64_t items = 0;               // in the table, as it says
  std::optional<std::string> before{};  // name of the design that governs the table; nullopt: none does
  bool has_same_text = false;           // as that design
  bool resumes = false;                 // an earlier application was interrupted
  std::string served_from{};            // file of the server's --design for this table; empty: none
  drift::IndexChanges indexes{};
  std::vector<workshop::Difference> differences{};  // from the design before
  std::optional<drift::DriftReport> read{};         // of a check of all items; nullopt: they were not read

  // Returns whether nothing would change. Indexes that the design does not have do not count.
  bool is_empty() const;
  std::size_t breaking() const;
  // Returns how many differences of items remain after the application.
  std::uint64_t left() const;
};

// The table that a plan is about.
struct PlannedTable {
  TableDescription description{};
  const design::Design* stored = nullptr;  // the design that governs it; null: none, or none that can be read
  bool is_unreadable = false;              // it has one, of a version that this program cannot read
  bool is_adopting = false;
  std::string served_from{};
};
// Returns the plan without `read`. Fails with Validation if the table has other keys than the design: its items must move.
Result<ApplyPlan> plan_of(const design::Design& design, const PlannedTable& table);

std::string to_text(const ApplyPlan& plan);
std::string to_json(const ApplyPlan& plan);

}  // namespace tavola::server
