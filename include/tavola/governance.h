// The designs of governed tables: govern_table, describe_governance and migrate_table (database.h).
//
// A default means what leaving the parameter out means on AWS. Empty text means "not given".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/packed.h>
#include <tavola/time.h>

namespace tavola {

// Enforcement of a table's design: a write that breaks it is refused, or done and counted, or not checked.
enum class Enforcement : std::uint8_t { Strict, Warn, Off };

// The design of a governed table (database.h, govern_table).
struct GovernedBy {
  std::string design{};  // its name
  std::string revision{};
  Enforcement enforcement = Enforcement::Strict;
  // The items from before the design are being checked. Until that is done, a violation is counted and not refused.
  bool adopting = false;
  friend bool operator==(const GovernedBy&, const GovernedBy&) = default;
};

// A table being moved to the next revision of its design, or the table it moves to (database.h, migrate_table).
struct Migration {
  enum class Role : std::uint8_t { Older, Newer };
  Role role = Role::Older;
  std::string other_table{};
  bool copying = true;  // the newer one still lacks items: its status is Creating
  friend bool operator==(const Migration&, const Migration&) = default;
};

struct GovernTableRequest {
  std::string table_name{};
  std::string design{};                      // its text; empty: the table keeps its design
  std::string file_name{};                   // for messages
  std::optional<Enforcement> enforcement{};  // nullopt: as in the design

  // Begin: the table has items that the design does not know (GovernedBy::adopting). End: they are all checked; fails with Validation if
  // the table has another design by now.
  enum class Adoption : std::uint8_t { None, Begin, End };
  Adoption adoption = Adoption::None;
};
struct GovernTableResponse {
  std::optional<GovernedBy> governed_by{};  // nullopt: this database does not store designs
};

struct DescribeGovernanceRequest {
  std::string table_name{};
  std::size_t stuck_items_max = 0;  // maximum number listed
};
struct BrokenRule {
  std::string rule{};        // the message of the first write
  std::uint64_t writes = 0;  // since the database was opened
  std::string sample_key{};  // of the latest item, as JSON
};
struct StuckItem {
  PackedItem item{};
  WallTime since{};  // when it should have left its state
};
struct DescribeGovernanceResponse {
  std::optional<GovernedBy> governed_by{};
  std::vector<BrokenRule> broken_rules{};
  std::uint64_t stuck = 0;  // items in a state for longer than its `stuck_after`
  std::vector<StuckItem> stuck_items{};
  std::uint64_t unfinished = 0;  // unfinished copies and deletions, too many for one transaction
};

struct MigrateTableRequest {
  enum class Action : std::uint8_t { Start, Describe, Verify, Finish, Abort };
  Action action = Action::Describe;
  std::string table_name{};  // the older one

  // Start
  std::string new_table_name{};
  std::string from{};  // the table's current revision
  std::string design{};
  std::string file_name{};
  std::string old_design{};  // for a table without a design
  std::string old_file_name{};

  // Verify: `next` of the previous page
  std::string after{};
};
// An item that differs between the two tables.
struct MigrationDifference {
  std::string key{};  // as JSON
  std::string why{};
};
struct MigrateTableResponse {
  std::string old_table{};
  std::string new_table{};
  std::string from{};  // revisions
  std::string to{};
  bool copying = false;
  std::uint64_t items_copied = 0;   // while copying
  bool stopped = false;             // only items that cannot be copied are left; Start tries again
  std::uint64_t items_checked = 0;  // Verify: on this page
  std::int64_t items = 0;           // in the older table
  std::int64_t new_items = 0;
  std::uint64_t differences = 0;  // items that cannot be copied; Verify: items that differ on this page
  std::vector<MigrationDifference> samples{};  // some of them
  std::string next{};                          // Verify: `after` of the next page; empty at the end
};

}  // namespace tavola
