// Notes which files are announced, and removes those that are never uploaded.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "server/log/log.h"
#include "systems/text-analyzer/bucket/bucket.h"
#include "systems/text-analyzer/bucket/keys.h"
#include "systems/text-analyzer/work/files.h"

namespace tavola::text_analyzer {

// Thread safety: all methods.
class Announcements {
 public:
  struct Parts {
    const Files& files;
    Bucket& bucket;
    std::chrono::milliseconds keep = std::chrono::hours(24);  // how long a file may wait for its upload
    server::Log& log;
    const Clock& clock = Clock::system();
  };
  explicit Announcements(Parts parts) : parts_(parts) {}

  // Must be called before the file is written, so that none is without a note.
  Result<void> note(const std::string& file_id);
  // Returns whether a file that is still PENDING is too old to be uploaded: no URL is made for it any more, so that it is removed after the
  // last one has expired.
  bool is_too_old(const File& file) const;
  // Removes a file that waits in vain. Returns false if it is no longer PENDING.
  Result<bool> discard(const std::string& file_id);

  // Removes the files that nobody has uploaded in time, unless this was done a while ago.
  Result<void> clean_when_due();

 private:
  bool is_due();
  Result<void> clean();
  Result<void> settle(const Announcement& announcement);

  const Parts parts_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace tavola::text_analyzer
