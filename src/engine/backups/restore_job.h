// The job that fills a restored table, in portions, also after a restart.
//
//   the shelf (checkpoint_shelf.h) ── items and internal records, in the order of their keys ──▶ the new table
//                              ── its change log from a time on, newest first ───────────▶ undone there
//
// Both go through append_writes (stored_change.h): indexes and counts are correct at every step. The source does not change any more,
// and the job's position is written with each portion: so nothing is done twice or left out. Nobody else writes to the table,
// which clients cannot use yet.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backups/checkpoint_shelf.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// A job's name within its table.
inline constexpr std::string_view kRestoreJob = "restore";

// Its record: a packed item (docs/FORMAT.md, "Jobs").
struct RestoreJob {
  std::string table{};                       // the new table
  std::string shelf_id{};                    // its source
  bool owns_shelf = false;                   // it is not a backup, and is removed when the job is done
  TableId source{};                          // the old table's id
  std::optional<std::uint64_t> undo_from{};  // changes with this number or a larger one are undone
  bool is_copied = false;                    // then changes are undone
  std::string position{};  // the key in the source that was last copied or undone; empty: none
  std::string failure{};   // why it stopped; empty: it did not
  bool is_over = false;    // and will not resume
};

Result<std::string> encode_restore(const RestoreJob& job);
Result<RestoreJob> decode_restore(std::string_view record);
// Returns nothing if the record is that of a job of another kind.
Result<std::optional<RestoreJob>> restore_job_in(std::string_view record);
Result<std::vector<RestoreJob>> all_restore_jobs(const store::Store& store);
// For a table that is being restored.
Result<RestoreJob> restore_job_of(const store::Store& store, TableId table);

struct RestoreContext {
  store::Store& store;
  Catalog& catalog;
  CheckpointShelf& shelf;
};
// Does the next portions; returns whether all is done, or nothing can be. A failure is also written to the job's
// record, so that it can be shown and the table deleted; a temporary one is retried with the next call.
Result<bool> restore_for_a_while(const RestoreContext& context, const std::string& job_key,
                                 const std::function<bool()>& stopping);

}  // namespace tavola::engine
