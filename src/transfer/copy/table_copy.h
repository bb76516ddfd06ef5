// The items of a table, from one side to the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "transfer/copy/copy_state.h"
#include "transfer/copy/table_plan.h"
#include "transfer/walk/table_scan.h"

namespace tavola::transfer {

struct CopyOptions {
  std::size_t segments = 16;
  std::size_t workers = 4;
  bool consistent_reads = true;
  bool overwrite = false;  // existing items of the table on the other side
  Pause pause{};
  // Called with the items so far, and the approximate total.
  std::function<void(std::uint64_t done, std::uint64_t expected)> progress{};
};

struct RefusedItem {
  std::string key{};
  std::string why{};
};

struct CopyReport {
  bool was_created = false;
  bool went_on = false;       // this copy resumed an earlier one
  std::uint64_t items = 0;    // copied in total
  std::uint64_t refused = 0;  // refused by the other side
  std::vector<RefusedItem> samples{};
};

// Copies everything that the state does not list as copied. Refused items are reported, and retried by the next copy;
// any other error ends the copy, and the state holds its position.
Result<CopyReport> copy_table(const Side& from, const Side& to, const TablePlan& plan, CopyState& state,
                              const CopyOptions& options);

}  // namespace tavola::transfer
