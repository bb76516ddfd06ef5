// BackupShelf: the data of backups, each a whole store as it was at one moment, under an id.
//
// Beside a store on disk they are checkpoints, <data directory>/backups/<id>/, which share the store's files (hard links): a
// backup costs what is changed after it. Of a store in memory they are snapshots, and end with it.
//
// What is on the shelf is known by records in the store: the backups (backup_catalog.h), and the restores that still read
// (restore_job.h). Something is put here before its record is written, and taken away after that is erased. Until the one and from
// the other on it has a mark, <id>.unrecorded: what a crash leaves with a mark is taken away at the next opening. What has neither a
// mark nor a record stays: it belongs to a newer state of the store than the one that was put back.
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

class BackupShelf {
 public:
  explicit BackupShelf(store::Store& store);

  // The time, and something random. Ids are ordered as they were made, also within a millisecond.
  std::string new_id(WallTime now, Random& random);
  // Puts the store as it is at this moment under `id`, marked as unrecorded.
  Result<void> put(const std::string& id);
  // When a backup's record is durable, and before it is erased. What a restore alone reads keeps its mark.
  void mark_recorded(const std::string& id);
  Result<void> mark_unrecorded(const std::string& id);
  // To be read. Fails with Corrupt when there is nothing.
  Result<std::shared_ptr<store::Store>> open(const std::string& id);
  // What cannot be removed now is removed at the next opening.
  void remove(const std::string& id);

  // At opening, before anything is put: takes away what is marked and not known, and checkpoints that were cut short.
  void keep_only(const std::function<bool(const std::string& id)>& is_known);

 private:
  store::Store& store_;
  const std::filesystem::path directory_;  // empty: in memory
  Mutex mutex_;
  WallTime last_id_ TAVOLA_GUARDED_BY(mutex_){};
  std::map<std::string, std::shared_ptr<store::Store>> frozen_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::engine
