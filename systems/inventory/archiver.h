// Retention: what the design says is archived goes to a folder or a bucket every hour, in the background; and GET /api/retention, which shows the
// rules and what is archived.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "server/log/log.h"
#include "systems/host/application.h"
#include "transfer/archive/archive.h"

namespace tavola::inventory {

struct ArchiveOptions {
  std::string to;           // a folder, or s3://bucket/prefix; empty: nothing is archived
  std::string s3_endpoint;  // of another service than AWS's
};

// Thread safety: all methods. Borrows the design and the log.
class Archiver {
 public:
  struct Status {
    std::string last_run = {};  // 2024-01-31T12:00:00Z; empty: none yet
    // In the archive, by the list that the first run makes and the runs since: a list reads an object for each batch, too many for a request.
    std::uint64_t items = 0;
    std::uint64_t batches = 0;
    std::string error = {};  // of the last run
  };

  // Starts the thread, if there is a destination. Fails with a message for people if it cannot be opened.
  static Result<std::unique_ptr<Archiver>> start(const systems::SystemDesign& design, ArchiveOptions options,
                                                 server::Log& log);
  ~Archiver();
  Archiver(const Archiver&) = delete;
  Archiver& operator=(const Archiver&) = delete;

  // The page's address. For everybody who is logged in: rules and totals say nothing of a shop.
  systems::Route route() const;
  Status status() const;

 private:
  Archiver(const systems::SystemDesign& design, ArchiveOptions options, server::Log& log)
      : design_(design), options_(std::move(options)), log_(log) {}
  void run();
  void archive();
  Result<Status> archived();
  http::Response answer() const;

  const systems::SystemDesign& design_;
  const ArchiveOptions options_;
  server::Log& log_;
  std::unique_ptr<transfer::Destination> destination_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  Status status_;
  bool is_counted_ = false;  // used by the thread only
  std::thread thread_;
};

}  // namespace tavola::inventory
