// The files of Tavola in the directory of a RocksDB store, beside RocksDB's own:
//
//   FORMAT   "tavola store 1\n": the version of the stored data; written first, so that its absence in a
//            directory with other files means that the directory is not ours
//   OWNER    the id of the process that has the store open; locked (flock) while it does
//   SYNCED   how much of RocksDB's manifest and logs must exist (synced_facts.h)
//
// The directory itself is locked, too: OWNER can be removed by hand, and a new one would not be locked.
//
// A directory that is not ours, or that a newer Tavola wrote, is never written to.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "base/files.h"

namespace tavola::store {

// Raised if an older Tavola could not read what this one writes. Never lowered.
inline constexpr int kStoreFormat = 1;

// A directory that only this process may use; released at the end.
class ClaimedDirectory {
 public:
  // Creates the directory if it is missing (its parent must exist), checks that it is empty or ours, and locks it.
  // Fails with Locked, NewerFormat, Corrupt, DiskFull or Io.
  static Result<ClaimedDirectory> claim(const std::filesystem::path& path);

  ClaimedDirectory(ClaimedDirectory&& other) noexcept = default;
  ClaimedDirectory& operator=(ClaimedDirectory&&) = delete;
  ~ClaimedDirectory() = default;

  const std::filesystem::path& path() const { return path_; }
  // Returns a path to the files of this directory. It stays valid if the directory is moved and another one takes its
  // place: deleting files by this path cannot delete those of another directory. Without /proc it is path().
  const std::filesystem::path& files() const { return files_; }
  // Returns true if no store was created in it yet.
  bool is_new() const { return is_new_; }
  // Fails with Locked in a child made by fork(): it has the lock's file but not the store's memory and threads, and its
  // writes would damage the log of its parent.
  Result<void> check_owner() const;

 private:
  ClaimedDirectory(std::filesystem::path path, std::unique_ptr<File> lock, std::unique_ptr<File> owner_file);

  std::filesystem::path path_;  // absolute: the process may change its working directory
  std::filesystem::path files_;
  std::unique_ptr<File> lock_;        // the directory, locked
  std::unique_ptr<File> owner_file_;  // OWNER, locked
  int owner_process_;
  bool is_new_ = false;
};

// A locked directory that is not written to; released at the end.
struct DirectoryLock {
  std::unique_ptr<File> directory;
  std::unique_ptr<File> owner_file;
  std::string format_problem{};  // the fault of FORMAT, e.g. "it is damaged …"; empty if none
};
// Fails with Locked if it is open elsewhere, with NewerFormat only if FORMAT names a later version, and with Io if none
// of its files belongs to a store. Any other FORMAT may be a damaged one, and the files can be read without it.
Result<DirectoryLock> lock_unchanged(const std::filesystem::path& path);

// A checkpoint is built in a directory beside its final place and moved there once it is complete and synced. That
// directory has the final name with this suffix:
inline constexpr std::string_view kBuildingSuffix = ".tavola-checkpoint";
class CheckpointDirectory {
 public:
  // Fails with Io if `path` exists or cannot be created.
  static Result<CheckpointDirectory> prepare(const std::filesystem::path& path);

  CheckpointDirectory(CheckpointDirectory&&) noexcept = default;
  CheckpointDirectory& operator=(CheckpointDirectory&&) = delete;
  ~CheckpointDirectory();  // removes an unpublished one

  // Does not exist yet after prepare().
  const std::filesystem::path& building() const { return building_; }
  Result<void> publish() const;

 private:
  CheckpointDirectory(std::filesystem::path path, std::filesystem::path building)
      : path_(std::move(path)), building_(std::move(building)) {}

  std::filesystem::path path_;
  std::filesystem::path building_;  // empty after a move
};

// Creates a directory for its owner only, unless it exists: it contains all data of all clients.
Result<void> make_directory(const std::filesystem::path& path);

// Writes FORMAT atomically: it is complete and synced, or missing.
Result<void> write_format_file(const std::filesystem::path& directory);

}  // namespace tavola::store
