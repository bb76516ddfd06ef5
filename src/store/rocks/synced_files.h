// SyncedFiles: maintains the file SYNCED (synced_facts.h) while the store is open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "base/files.h"
#include "base/locks.h"
#include "store/rocks/synced_facts.h"
#include "store/rocks/torn_log.h"
#include "store/store.h"

namespace tavola::store {

// Thread safety: all methods; internally locked by mutex_, and those that wait for the disk by sync_mutex_. Invariants:
// (1) SYNCED contains nothing that a power cut or a kill now would make untrue. (2) A line that must be on disk before
// its caller continues is written after the sync of the previous one has returned (synced_facts.cc relies on it). (3)
// No thread syncs with mutex_ held: a write to the log must not wait for a disk that hangs.
class SyncedFiles {
 public:
  // Syncs the files that the facts describe, because their writer may not have, and starts SYNCED.
  static Result<std::unique_ptr<SyncedFiles>> begin(const std::filesystem::path& directory, SyncedFacts facts,
                                                    Durability durability);

  // Each is called after the event, but log_gone() before the log is deleted.
  void manifest_synced(const std::string& name, SyncedFacts::Manifest manifest);
  void current_renamed();
  void log_began(std::uint64_t number);
  void log_appended(std::uint64_t number, std::string_view bytes);
  void log_failed(std::uint64_t number);  // an append failed: its end is unknown now
  void log_gone(std::uint64_t number);
  void log_given_up(std::uint64_t number);  // acknowledged writes of it are missing, and accepted as lost
  void closed();

  // Returns the end of the last complete record that a sync of the log would cover if it started now.
  std::uint64_t log_end(std::uint64_t number);
  void log_synced(std::uint64_t number, std::uint64_t end);

  // The names that a sync of the directory would make durable if it started now.
  struct Names {
    std::uint64_t newest_log = 0;
    std::string current{};  // the manifest that CURRENT names since its last rename; empty: unchanged
  };
  Names names();
  void names_synced(const Names& names);

 private:
  struct LiveLog {
    RecordEnd end;
    bool has_failed = false;
    bool is_named = false;  // its name is on disk
    std::uint64_t synced = 0;
  };

  SyncedFiles(const std::filesystem::path& directory, SyncedFacts facts, Durability durability);

  // Syncs all lines, or removes SYNCED.
  void sync_lines() TAVOLA_REQUIRES(sync_mutex_);
  bool sync_appended() TAVOLA_REQUIRES(sync_mutex_);
  Result<void> rewrite() TAVOLA_REQUIRES(sync_mutex_);
  Result<void> replace_by(const std::filesystem::path& draft) TAVOLA_REQUIRES(sync_mutex_);
  Result<std::shared_ptr<File>> begin_draft(const std::filesystem::path& draft);

  void add_line(const std::string& text) TAVOLA_REQUIRES(mutex_);
  void write_at(std::uint64_t place, std::string_view text) TAVOLA_REQUIRES(mutex_);
  void show_log(std::uint64_t number) TAVOLA_REQUIRES(mutex_);
  void give_up() TAVOLA_REQUIRES(mutex_);

  const std::filesystem::path directory_;
  const Durability durability_;
  Mutex sync_mutex_;  // taken before mutex_
  Mutex mutex_;
  SyncedFacts facts_ TAVOLA_GUARDED_BY(mutex_);
  std::set<std::string> inherited_
      TAVOLA_GUARDED_BY(mutex_);  // manifests recorded only by an earlier process
  std::map<std::uint64_t, LiveLog> live_ TAVOLA_GUARDED_BY(mutex_);
  std::string new_current_ TAVOLA_GUARDED_BY(mutex_);     // named by CURRENT, but perhaps not on disk
  std::shared_ptr<File> file_ TAVOLA_GUARDED_BY(mutex_);  // null: it could not be written
  std::uint64_t bytes_ TAVOLA_GUARDED_BY(mutex_) = 0;     // of SYNCED
  bool is_rewrite_due_ TAVOLA_GUARDED_BY(mutex_) = false;
};

}  // namespace tavola::store
