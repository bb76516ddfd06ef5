// The tables on both sides of a copy, and the creation of the target.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "moving/copy_state.h"
#include "moving/patience.h"

namespace tavola::moving {

struct TablePlan {
  TableDescription from{};
  std::optional<TableDescription> to{};  // nullopt: the copy creates it
  Tags tags{};
  TimeToLive time_to_live{};
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

// Returns the key of an item.
PackedItem key_of(const PackedItem& item, const std::vector<KeySchemaElement>& key_schema);
// Returns an item or a key as readable text.
std::string shown(const PackedItem& item);

}  // namespace tavola::moving
