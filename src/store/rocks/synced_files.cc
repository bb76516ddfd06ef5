#include "store/rocks/synced_files.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace tavola::store {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{256} * 1024;  // of SYNCED, before it is rewritten
constexpr std::uint64_t kWrittenStep =
    std::uint64_t{64} * 1024;  // how far bytes written may be ahead of SYNCED

}  // namespace

SyncedFiles::SyncedFiles(const fs::path& directory, SyncedFacts facts, Durability durability)
    : directory_(directory), durability_(durability), facts_(std::move(facts)) {
  for (const auto& [name, manifest] : facts_.manifests) inherited_.insert(name);
}

Result<std::unique_ptr<SyncedFiles>> SyncedFiles::begin(const fs::path& directory, SyncedFacts facts,
                                                        Durability durability) {
  TAVOLA_CHECK(sync_files_of(directory, facts));
  std::unique_ptr<SyncedFiles> files(new SyncedFiles(directory, std::move(facts), durability));
  const MutexLock turn(files->sync_mutex_);
  TAVOLA_CHECK(files->rewrite());
  return files;
}

// Tries to rewrite SYNCED if it cannot be synced, and removes it if that fails, too: its promises must stay true. The
// next line that must be synced tries again.
void SyncedFiles::sync_lines() {
  if (sync_appended() || rewrite()) return;
  {
    const MutexLock lock(mutex_);
    give_up();
  }
  [[maybe_unused]] const Result<void> synced = sync_directory(directory_);
}

// Returns whether all lines are on disk. Other threads append lines concurrently; if one of them fails, SYNCED is
// removed.
bool SyncedFiles::sync_appended() {
  std::shared_ptr<File> file;
  {
    const MutexLock lock(mutex_);
    if (!is_rewrite_due_ && bytes_ <= kBytesMax) file = file_;
  }
  const bool is_synced = file && ::fdatasync(file->get()) == 0;
  const MutexLock lock(mutex_);
  return is_synced && file == file_;
}

Result<void> SyncedFiles::rewrite() {
  const fs::path draft = directory_ / (std::string(kSyncedFile) + ".tmp");
  Result<void> replaced = replace_by(draft);
  if (!replaced) ::unlink(draft.c_str());
  return replaced;
}

// Replaces SYNCED like replace_file(). From the start of the draft on, other threads write their lines to it.
Result<void> SyncedFiles::replace_by(const fs::path& draft) {
  TAVOLA_TRY(const std::shared_ptr<File> file, begin_draft(draft));
  if (::fsync(file->get()) != 0) return fail(system_error("sync", draft, errno));
  {
    const MutexLock lock(mutex_);
    if (file != file_) return fail(system_error("write", draft, EIO));  // a line failed concurrently
    const fs::path path = directory_ / kSyncedFile;
    if (::rename(draft.c_str(), path.c_str()) != 0) return fail(system_error("create", path, errno));
  }
  return sync_directory(directory_);
}

Result<std::shared_ptr<File>> SyncedFiles::begin_draft(const fs::path& draft) {
  const MutexLock lock(mutex_);
  ::unlink(draft.c_str());  // one left by a crash may have another mode
  auto file = std::make_shared<File>(draft, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file->is_open()) return fail(system_error("write", draft, errno));
  const std::string text = to_text(facts_);
  TAVOLA_CHECK(write_all(*file, draft, text));
  file_ = file;
  bytes_ = text.size();
  is_rewrite_due_ = false;
  return file;
}

// Removes SYNCED, and leaves the sync of the directory to the next line that must be synced: until then everything in
// SYNCED is still true.
void SyncedFiles::give_up() {
  file_.reset();
  ::unlink((directory_ / kSyncedFile).c_str());
}

void SyncedFiles::write_at(std::uint64_t place, std::string_view text) {
  if (!file_) return;
  const ssize_t written = ::pwrite(file_->get(), text.data(), text.size(), static_cast<off_t>(place));
  if (written != static_cast<ssize_t>(text.size())) give_up();
}

void SyncedFiles::add_line(const std::string& text) {
  const std::string line = synced_line(text);
  write_at(bytes_, line);
  bytes_ += line.size();
}

void SyncedFiles::manifest_synced(const std::string& name, SyncedFacts::Manifest manifest) {
  const MutexLock turn(sync_mutex_);
  {
    const MutexLock lock(mutex_);
    facts_.manifests[name] = manifest;
    inherited_.erase(name);
    add_line(manifest_line(name, manifest));
  }
  sync_lines();
}

// RocksDB renames CURRENT in one thread at a time, so this is the name that was renamed.
void SyncedFiles::current_renamed() {
  std::string name = current_manifest(directory_);
  const MutexLock lock(mutex_);
  new_current_ = std::move(name);
}

void SyncedFiles::log_began(std::uint64_t number) {
  const MutexLock lock(mutex_);
  // The first line described the log that is no longer the newest.
  if (!facts_.logs.empty()) add_line(log_line(facts_.logs.rbegin()->first, facts_.logs.rbegin()->second));
  live_[number] = {};
  facts_.logs[number] = {};
  add_line(log_line(number, {}));
  show_log(number);
}

void SyncedFiles::log_appended(std::uint64_t number, std::string_view bytes) {
  const MutexLock lock(mutex_);
  const auto live = live_.find(number);
  if (live == live_.end() || live->second.has_failed) return;
  live->second.end.append(bytes);
  if (durability_ != Durability::Relaxed) return;  // unsynced writes were not acknowledged
  SyncedFacts::Log& log = facts_.logs[number];
  const std::uint64_t end = live->second.end.bytes();
  if (end < log.written + (log.written == 0 ? 1 : kWrittenStep)) return;
  log.written = end;
  show_log(number);
}

void SyncedFiles::log_failed(std::uint64_t number) {
  const MutexLock lock(mutex_);
  if (const auto live = live_.find(number); live != live_.end()) live->second.has_failed = true;
}

void SyncedFiles::log_gone(std::uint64_t number) {
  const MutexLock turn(sync_mutex_);
  {
    const MutexLock lock(mutex_);
    live_.erase(number);
    if (facts_.logs.erase(number) == 0) return;
    add_line("gone " + log_name(number));
  }
  sync_lines();
}

// RocksDB may have reused the number for a new log, because nothing recorded the old one.
void SyncedFiles::log_given_up(std::uint64_t number) {
  const MutexLock turn(sync_mutex_);
  {
    const MutexLock lock(mutex_);
    if (live_.contains(number) || facts_.logs.erase(number) == 0) return;
    add_line("gone " + log_name(number));
  }
  sync_lines();
}

void SyncedFiles::closed() {
  const MutexLock turn(sync_mutex_);
  {
    const MutexLock lock(mutex_);
    facts_.is_closed = true;
    add_line("closed");
  }
  sync_lines();
}

std::uint64_t SyncedFiles::log_end(std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto live = live_.find(number);
  return live == live_.end() ? 0 : live->second.end.bytes();
}

void SyncedFiles::log_synced(std::uint64_t number, std::uint64_t end) {
  const MutexLock lock(mutex_);
  const auto live = live_.find(number);
  if (live == live_.end() || end <= live->second.synced) return;
  live->second.synced = end;
  if (live->second.is_named) show_log(number);
}

SyncedFiles::Names SyncedFiles::names() {
  const MutexLock lock(mutex_);
  return {.newest_log = live_.empty() ? 0 : live_.rbegin()->first, .current = new_current_};
}

void SyncedFiles::names_synced(const Names& names) {
  const MutexLock lock(mutex_);
  for (auto& [number, log] : live_) {
    if (number > names.newest_log || log.is_named) continue;
    log.is_named = true;
    show_log(number);
  }
  // A later rename has its own sync of the directory.
  const bool is_latest = names.current == new_current_;
  if (names.current.empty() || !is_latest) return;
  new_current_.clear();
  facts_.set_current(names.current);
  // An earlier process started these. CURRENT, which now certainly names ours, will never name them.
  for (const std::string& name : inherited_) {
    if (facts_.manifests.erase(name) > 0) is_rewrite_due_ = true;
  }
  inherited_.clear();
  add_line("current " + names.current);
}

// Writes the state of the log to SYNCED.
void SyncedFiles::show_log(std::uint64_t number) {
  SyncedFacts::Log& log = facts_.logs[number];
  const LiveLog& live = live_[number];
  if (live.is_named) log.synced = live.synced;
  log.written = std::max(log.written, log.synced);
  if (number == facts_.logs.rbegin()->first) {
    write_at(0, first_line(facts_));
  } else {
    add_line(log_line(number, log));
  }
}

}  // namespace tavola::store
