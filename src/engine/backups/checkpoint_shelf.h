// CheckpointShelf: the data of backups, each a whole store at one point in time, under an id.
//
// For a store on disk they are checkpoints, <data directory>/backups/<id>/, which share the store's files (hard links):
// a backup costs only what changes after it. For a store in memory they are snapshots, and end with it.
//
// Records in the store refer to the shelf: those of backups (backup_catalog.h), and of restores that still read
// (restore_job.h). Data is put here before its record is written, and removed after the record is erased. Until the
// former and from the latter on it has a mark, <id>.unrecorded: the next opening removes data that a crash left with a
// mark. Data with neither a mark nor a record stays: it belongs to a newer state of the store than the one that was put
// back.
//
// Thread safety: all methods; one thread at a time has one id open.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/locks.h"
#include "base/random.h"
#include "store/store.h"

namespace tavola::engine {

// "01763199000125-5f3a9c01"
bool is_backup_id(std::string_view text);

// A store with several processes has no shelf: the data would be where only one of them is.
Error backups_are_elsewhere();

class CheckpointShelf {
 public:
  explicit CheckpointShelf(store::Store& store);

  // Returns the time and a random part. Ids are ordered by creation, also within a millisecond.
  std::string new_id(WallTime now, Random& random);
  // Saves the current state of the store under `id`, marked as unrecorded.
  Result<void> put(const std::string& id);
  // Called once a backup's record is durable. Data that only a restore reads keeps its mark.
  void mark_recorded(const std::string& id);
  // Called before a backup's record is erased.
  Result<void> mark_unrecorded(const std::string& id);
  // Opens it for reading. Fails with Corrupt if it is missing.
  Result<std::shared_ptr<store::Store>> open(const std::string& id);
  // If it cannot be removed now, the next opening removes it.
  void remove(const std::string& id);

  // Called at opening, before any put(): removes marked and unknown data, and interrupted checkpoints.
  void keep_only(const std::function<bool(const std::string& id)>& is_known);

 private:
  store::Store& store_;
  const std::filesystem::path directory_;  // empty: in memory
  Mutex mutex_;
  WallTime last_id_ TAVOLA_GUARDED_BY(mutex_){};
  std::map<std::string, std::shared_ptr<store::Store>> frozen_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::engine
