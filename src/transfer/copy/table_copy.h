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
  bool overwrite = false;  // items that a table on the other side has already
  Pause pause{};
  // Items so far, of about as many.
  std::function<void(std::uint64_t done, std::uint64_t expected)> progress{};
};

struct RefusedItem {
  std::string key{};
  std::string why{};
};

struct CopyReport {
  bool was_created = false;
  bool went_on = false;       // where the copy before this one ended
  std::uint64_t items = 0;    // that were copied, also before
  std::uint64_t refused = 0;  // that the other side did not take
  std::vector<RefusedItem> samples{};
};

// Copies what the state does not say is copied. Items that are refused are told, and tried again by the next copy; any other error
// ends it, and the state says where.
Result<CopyReport> copy_table(const Side& from, const Side& to, const TablePlan& plan, CopyState& state,
                              const CopyOptions& options);

}  // namespace tavola::transfer
