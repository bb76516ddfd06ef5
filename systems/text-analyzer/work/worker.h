// Analyses uploads: looks into the bucket for them, claims one file after the other, counts its words, and stores the result or why there is
// none.
//
//   uploads/<fileId>/… ─▶ claimed (one worker of all wins) ─▶ read and counted ─▶ completed or failed ─▶ the upload is removed
//
// Any number of threads, processes and machines share the work; the table is what they agree by. A worker that dies leaves its file IN_PROGRESS
// with its upload, and another one takes it over when the lease has ended. An upload is removed after its result is stored: one that
// is there is still to be done, or was left over by a worker that died in between, and is removed by the next one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "server/log/log.h"
#include "systems/text-analyzer/bucket/bucket.h"
#include "systems/text-analyzer/work/analyse_upload.h"
#include "systems/text-analyzer/work/announcements.h"
#include "systems/text-analyzer/work/files.h"
#include "systems/text-analyzer/work/work_metrics.h"

namespace tavola::text_analyzer {

struct WorkOptions {
  int threads = 1;
  std::chrono::milliseconds lease = std::chrono::minutes(15);  // longer than the largest text takes
  std::chrono::milliseconds poll = std::chrono::seconds(2);
  std::uint64_t size_bytes_max = std::uint64_t{5} << 30U;
};

class Worker {
 public:
  struct Parts {
    const Files& files;
    Bucket& bucket;
    Announcements& announcements;
    WorkOptions options;
    server::Log& log;
    WorkMetrics& metrics;
    std::function<void(const File&)> changed =
        {};  // called when this worker has changed the status of a file
    // The database was opened then, and nobody else can use it: a file that was IN_PROGRESS before has lost its worker.
    std::optional<WallTime> alone_since = {};
    const Clock& clock = Clock::system();
  };
  explicit Worker(Parts parts);  // starts
  ~Worker();                     // finishes the files that are being analysed
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Looks for uploads now. Thread safety: any thread.
  void wake();

 private:
  void run();
  bool is_stopping() const;
  // Looks at every upload once. Returns whether one of them was analysed.
  Result<bool> look();
  // Returns whether no other thread has the upload, and it may be one that can be claimed.
  bool take(const std::string& key);
  void give_back(const std::string& key);
  Result<bool> handle(const std::string& key);
  // Returns the file, IN_PROGRESS; nullopt if there is nothing to do for this worker.
  Result<std::optional<File>> claim(const File& file);
  Result<void> finish(const File& file, const Outcome& outcome);
  Result<void> store(const File& file, const Outcome& outcome);

  Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::uint64_t wakes_ = 0;
  std::set<std::string> taken_;  // uploads that a thread of this process has
  std::map<std::string, WallTime>
      not_before_;  // uploads that other workers have, with the ends of their leases
  std::vector<std::thread> threads_;
};

}  // namespace tavola::text_analyzer
