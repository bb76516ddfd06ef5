#include "engine/backups/checkpoint_shelf.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ascii.h"
#include "base/files.h"
#include "store/directory.h"
#include "store/frozen.h"

namespace tavola::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTimeDigits = 14;
constexpr std::size_t kRandomDigits = 8;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

fs::path directory_beside(const store::Store& store) {
  const fs::path directory = store.directory();
  return directory.empty() ? fs::path() : directory / "backups";
}

// Some memory for reading, next to none for writing.
constexpr store::RocksOptions kForReading{.durability = store::Durability::Relaxed,
                                          .cache_bytes = std::size_t{8} * 1024 * 1024,
                                          .write_buffer_bytes = std::size_t{1024} * 1024,
                                          .is_only_read = true};

// Marks data without a record in the store.
constexpr std::string_view kUnrecordedSuffix = ".unrecorded";

fs::path mark_of(const fs::path& directory, const std::string& id) {
  return directory / (id + std::string(kUnrecordedSuffix));
}

}  // namespace

bool is_backup_id(std::string_view text) {
  return text.size() == kTimeDigits + 1 + kRandomDigits && text[kTimeDigits] == '-' &&
         std::ranges::all_of(text.substr(0, kTimeDigits), is_digit) &&
         std::ranges::all_of(text.substr(kTimeDigits + 1), is_hex);
}

CheckpointShelf::CheckpointShelf(store::Store& store) : store_(store), directory_(directory_beside(store)) {}

std::string CheckpointShelf::new_id(WallTime now, Random& random) {
  WallTime moment;
  {
    const MutexLock lock(mutex_);
    last_id_ = std::max(now, last_id_ + std::chrono::milliseconds(1));
    moment = last_id_;
  }
  std::string time = std::to_string(moment.time_since_epoch().count());
  if (time.size() < kTimeDigits) time.insert(0, kTimeDigits - time.size(), '0');
  return time + '-' + make_uuid(random).substr(0, kRandomDigits);
}

Error backups_are_elsewhere() {
  return Error::validation(
      "Backups are not made by Tavola for a store on PostgreSQL: back up the database with PostgreSQL's own "
      "tools "
      "(pg_dump, pg_basebackup, pgBackRest) or those of its provider.");
}

Result<void> CheckpointShelf::put(const std::string& id) {
  if (store_.is_shared()) return fail(backups_are_elsewhere());
  if (directory_.empty()) {
    const MutexLock lock(mutex_);
    frozen_[id] = store::freeze(store_);
    return {};
  }
  TAVOLA_CHECK(store::make_directory(directory_));
  TAVOLA_CHECK(mark_unrecorded(id));
  Result<void> done = store_.checkpoint(directory_ / id);
  if (!done) mark_recorded(id);  // there is nothing
  return done;
}

Result<void> CheckpointShelf::mark_unrecorded(const std::string& id) {
  if (directory_.empty()) return {};
  return replace_file(mark_of(directory_, id), "The files of a backup without a record in the store.\n");
}

void CheckpointShelf::mark_recorded(const std::string& id) {
  std::error_code done_at_the_next_opening;
  if (!directory_.empty()) fs::remove(mark_of(directory_, id), done_at_the_next_opening);
}

Result<std::shared_ptr<store::Store>> CheckpointShelf::open(const std::string& id) {
  if (directory_.empty()) {
    const MutexLock lock(mutex_);
    const auto found = frozen_.find(id);
    if (found != frozen_.end()) return found->second;
  } else {
    std::error_code error;
    if (fs::is_directory(directory_ / id, error)) {
      TAVOLA_TRY(std::unique_ptr<store::Store> store, store::open_rocks(directory_ / id, kForReading));
      return std::shared_ptr<store::Store>(std::move(store));
    }
  }
  return fail(Error::corrupt("The files of the backup " + id + " are missing" +
                             (directory_.empty() ? "" : " in " + directory_.string()) +
                             ". They belong to the data directory and must be copied with it."));
}

void CheckpointShelf::remove(const std::string& id) {
  if (directory_.empty()) {
    const MutexLock lock(mutex_);
    frozen_.erase(id);
    return;
  }
  std::error_code left_for_the_next_opening;
  fs::remove_all(directory_ / id, left_for_the_next_opening);
  if (!left_for_the_next_opening) mark_recorded(id);
}

void CheckpointShelf::keep_only(const std::function<bool(const std::string& id)>& is_known) {
  if (directory_.empty()) return;
  std::error_code none;
  std::vector<std::string> gone;
  for (const auto& entry : fs::directory_iterator(directory_, none)) {
    const std::string name = entry.path().filename().string();
    const std::string id = name.substr(0, kTimeDigits + 1 + kRandomDigits);
    const std::string_view rest = std::string_view(name).substr(id.size());
    if (!is_backup_id(id)) continue;
    std::error_code left_for_the_next_opening;
    if (rest == store::kBuildingSuffix) fs::remove_all(entry.path(), left_for_the_next_opening);
    if (rest == kUnrecordedSuffix && !is_known(id)) gone.push_back(id);
  }
  for (const std::string& id : gone) remove(id);
}

}  // namespace tavola::engine
