// The directory of a RocksDB store as Tavola sees it, before and beside RocksDB's own files:
//
//   FORMAT   "tavola store 1\n": the version of what is stored; written first, so that its absence in a
//            directory with other files means that the directory is not ours
//   OWNER    the id of the process that has the store open; locked (flock) as long as it has
//   SYNCED   how much of RocksDB's manifest and logs must be there (synced_facts.h)
//
// The directory itself is locked, too: OWNER can be removed by hand, and a new one would not be locked.
//
// Nothing is written to a directory that is not ours or that a newer Tavola wrote.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "base/files.h"

namespace tavola::store {

// Raised when an older Tavola could not read what this one writes. Never lowered.
inline constexpr int kStoreFormat = 1;

// A directory that this process alone may use; released at the end.
class ClaimedDirectory {
 public:
  // Creates the directory when it is missing (its parent must exist), checks that it is empty or ours, and
  // locks it. Fails with Locked, NewerFormat, Corrupt, DiskFull or Io.
  static Result<ClaimedDirectory> claim(const std::filesystem::path& path);

  ClaimedDirectory(ClaimedDirectory&& other) noexcept = default;
  ClaimedDirectory& operator=(ClaimedDirectory&&) = delete;
  ~ClaimedDirectory() = default;

  const std::filesystem::path& path() const { return path_; }
  // Returns a path to the files of this directory. It goes on leading there when the directory is moved and another one is put in its
  // place: whoever deletes files by it cannot delete those of others. Without /proc it is path().
  const std::filesystem::path& files() const { return files_; }
  // True when no store was created in it yet.
  bool is_new() const { return is_new_; }
  // Fails with Locked in a child that fork() made: it has the lock's file but not the store's memory and threads,
  // and what it wrote would damage the log of its parent.
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

// A directory that nobody else may open meanwhile, and in which nothing is written; released at the end.
struct DirectoryLock {
  std::unique_ptr<File> directory;
  std::unique_ptr<File> owner_file;
  std::string format_problem{};  // what is wrong with FORMAT, e.g. "it is damaged …"; empty when nothing is
};
// Fails with Locked when somebody has it open, with NewerFormat only when FORMAT names a later version, and with Io when nothing
// in it is a store's. Any other FORMAT may be a damaged one, and the files can be read without it.
Result<DirectoryLock> lock_unchanged(const std::filesystem::path& path);

// A checkpoint grows in a directory beside its final place and is moved there when it is whole and synced. That has its name, and:
inline constexpr std::string_view kBuildingSuffix = ".tavola-checkpoint";
class CheckpointDirectory {
 public:
  // Fails with Io when `path` exists or cannot be created.
  static Result<CheckpointDirectory> prepare(const std::filesystem::path& path);

  CheckpointDirectory(CheckpointDirectory&&) noexcept = default;
  CheckpointDirectory& operator=(CheckpointDirectory&&) = delete;
  ~CheckpointDirectory();  // removes what was not published

  // Does not exist yet after prepare().
  const std::filesystem::path& building() const { return building_; }
  Result<void> publish() const;

 private:
  CheckpointDirectory(std::filesystem::path path, std::filesystem::path building)
      : path_(std::move(path)), building_(std::move(building)) {}

  std::filesystem::path path_;
  std::filesystem::path building_;  // empty after a move
};

// Creates a directory for its owner alone, unless it is there: what is inside is everything that clients ever wrote.
Result<void> make_directory(const std::filesystem::path& path);

// Writes FORMAT atomically: it is there whole and synced, or not at all.
Result<void> write_format_file(const std::filesystem::path& directory);

}  // namespace tavola::store
