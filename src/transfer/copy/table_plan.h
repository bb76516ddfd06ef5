// The tables on both sides of a copy, and the creation of the target.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "transfer/copy/copy_state.h"
#include "transfer/tables/table_definition.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

struct TablePlan {
  TableDescription from{};
  std::optional<TableDescription> to{};  // nothing: it is created
  TableDefinition definition{};          // of the table to create
  bool target_has_items = false;
  std::vector<std::string> notes{};  // parts that are not copied, and existing differences
};

// The names of both sides, for messages.
struct SideNames {
  std::string from{};
  std::string to{};
};

// Reads only. Fails if there is no such table, or if the one on the other side has other keys.
Result<TablePlan> plan_table(Database& from, Database& to, const std::string& table, const SideNames& names);

// Returns the table on the other side; creates it if missing, and waits for it.
Result<TableDescription> prepare_target(Database& to, const TablePlan& plan, const Pause& pause);

// Sets the time to live after all items are copied: earlier, expired items would be deleted during the copy.
Result<void> finish_target(Database& to, const TablePlan& plan);

// An item or a key as people read it.
std::string shown(const PackedItem& item);

}  // namespace tavola::transfer
