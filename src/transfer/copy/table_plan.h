// What a copy of a table finds on both sides, and what it makes of the other one.
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
  std::vector<std::string> notes{};  // what is not copied, and what differs already
};

// The names of both sides, for messages.
struct SideNames {
  std::string from{};
  std::string to{};
};

// Reads only. Fails when there is no such table, or when the one on the other side has other keys.
Result<TablePlan> plan_table(Database& from, Database& to, const std::string& table, const SideNames& names);

// The table on the other side: created when it is missing, and then waited for.
Result<TableDescription> prepare_target(Database& to, const TablePlan& plan, const Pause& pause);

// When all items are there: before, those whose time has passed would go while others still come.
Result<void> finish_target(Database& to, const TablePlan& plan);

// An item or a key as people read it.
std::string shown(const PackedItem& item);

}  // namespace tavola::transfer
