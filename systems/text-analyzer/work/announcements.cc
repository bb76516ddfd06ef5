#include "systems/text-analyzer/work/announcements.h"

#include <algorithm>

namespace tavola::text_analyzer {
namespace {

using text_analyzer_history::DiscardRefusal;
using text_analyzer_history::refusal;

constexpr std::chrono::milliseconds kShortestPause{500};
constexpr std::chrono::milliseconds kLongestPause = std::chrono::hours(1);
constexpr int kPausesPerLife = 24;

WallTime creation_of(const File& file) { return WallTime(std::chrono::milliseconds(file.createdAt)); }

}  // namespace

Result<void> Announcements::note(const std::string& file_id) {
  return parts_.bucket.write_empty(announcement_key({.moment = parts_.clock.now(), .file_id = file_id}));
}

bool Announcements::is_too_old(const File& file) const {
  const auto last_url = std::min<std::chrono::milliseconds>(2 * kUploadLifetime, parts_.keep / 2);
  return parts_.clock.now() - creation_of(file) > parts_.keep - last_url;
}

Result<bool> Announcements::discard(const std::string& file_id) {
  const auto discarded = parts_.files.discard({.fileId = file_id});
  if (discarded) return true;
  if (refusal<DiscardRefusal>(discarded.error())) return false;
  return fail(discarded.error());
}

bool Announcements::is_due() {
  const auto pause = std::clamp(parts_.keep / kPausesPerLife, kShortestPause, kLongestPause);
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  if (now < next_) return false;
  next_ = now + pause;
  return true;
}

Result<void> Announcements::clean_when_due() { return is_due() ? clean() : Result<void>(); }

Result<void> Announcements::clean() {
  std::string after;
  for (;;) {
    TAVOLA_TRY(const std::vector<std::string> keys, parts_.bucket.list(std::string(kAnnounced), after));
    for (const std::string& key : keys) {
      const auto announcement = read_announcement(key);
      if (announcement && parts_.clock.now() - announcement->moment < parts_.keep)
        return {};  // all others are newer
      if (announcement) TAVOLA_CHECK(settle(*announcement));
      TAVOLA_CHECK(parts_.bucket.remove(key));
    }
    if (keys.size() < kKeysOfPage) return {};
    after = keys.back();
  }
}

Result<void> Announcements::settle(const Announcement& announcement) {
  TAVOLA_TRY(const std::optional<File> file, parts_.files.getFile({.fileId = announcement.file_id}));
  const bool waits =
      file && file->status == File::Status::PENDING && parts_.clock.now() - creation_of(*file) >= parts_.keep;
  if (!waits) return {};
  TAVOLA_TRY(const auto upload, parts_.bucket.open(file->s3Key));
  if (upload != nullptr) return {};  // it is there, and a worker will take it
  TAVOLA_TRY(const bool is_discarded, discard(file->fileId));
  if (is_discarded) parts_.log.info("never uploaded, and removed", {{"file", file->fileId}});
  return {};
}

}  // namespace tavola::text_analyzer
