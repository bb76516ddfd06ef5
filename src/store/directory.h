// The directory of a RocksDB store as Tavola sees it, before and beside RocksDB's own files:
//
//   FORMAT   "tavola store 1\n": the version of what is stored; written first, so that its absence in a
//            directory with other files means that the directory is not ours
//   OWNER    the id of the process that has the store open; locked (flock) as long as it has
//   CLOSED   how long RocksDB's files were when the store was closed (closed_mark.h)
//
// Nothing is written to a directory that is not ours or that a newer Tavola wrote.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <tavola/error.h>

namespace tavola::store {

// Raised when an older Tavola could not read what this one writes. Never lowered.
inline constexpr int kStoreFormat = 1;

// A directory that this process alone may use; released at the end.
class ClaimedDirectory {
 public:
  // Creates the directory when it is missing (its parent must exist), checks that it is empty or ours, and
  // locks it. Fails with Locked, NewerFormat, Corrupt, DiskFull or Io.
  static Result<ClaimedDirectory> claim(const std::filesystem::path& path);

  ClaimedDirectory(ClaimedDirectory&& other) noexcept;
  ClaimedDirectory& operator=(ClaimedDirectory&&) = delete;
  ~ClaimedDirectory();

  const std::filesystem::path& path() const { return path_; }
  // True when no store was created in it yet.
  bool is_new() const { return is_new_; }
  // Fails with Locked in a child that fork() made: it has the lock's file but not the store's memory and threads,
  // and what it wrote would damage the log of its parent.
  Result<void> check_owner() const;

 private:
  ClaimedDirectory(std::filesystem::path path, int owner_file);

  std::filesystem::path path_;  // absolute: the process may change its working directory
  int owner_file_;              // -1 after a move
  int owner_process_;
  bool is_new_ = false;
};

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

// Writes FORMAT atomically: it is there whole and synced, or not at all.
Result<void> write_format_file(const std::filesystem::path& directory);

}  // namespace tavola::store
