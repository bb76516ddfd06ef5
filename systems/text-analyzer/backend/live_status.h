// Tells open pages that the status of a file has changed (server-sent events).
//
// A worker of this process says so itself. Those of other processes write to the table only, so the files that were announced here are asked for
// until they are done.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"
#include "server/log/log.h"
#include "systems/text-analyzer/work/files.h"

namespace tavola::text_analyzer {

// Thread safety: all methods.
class LiveStatus {
 public:
  struct Parts {
    const Files& files;
    server::Log& log;
    // Sends one event of this kind, with one line of JSON, to everybody.
    std::function<void(std::string_view kind, std::string data)> publish;
  };
  explicit LiveStatus(Parts parts);
  ~LiveStatus();
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;

  // A worker of this process has changed the file.
  void changed(const File& file);
  // Watches a file that was announced, in case that other workers analyse it.
  void watch(const File& file);

 private:
  static constexpr std::chrono::milliseconds kPause{500};
  static constexpr std::chrono::minutes kWatchedFor{30};
  static constexpr std::size_t kWatchedMax = 1000;

  struct Watched {
    File::Status status;
    std::int64_t updated_at;
    std::chrono::steady_clock::time_point until;
  };
  void run();
  Result<void> look(const std::string& file_id);
  // Notes the state of a file. Returns whether it was not known.
  bool is_news(const File& file);
  void publish(const File& file) const;

  const Parts parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Watched> watched_;  // by fileId
  bool is_stopping_ = false;
  std::thread thread_;
};

// Returns the name of an owner for events, which everybody can read: it does not tell the ownerId, with which files can be listed.
std::string mark_of_owner(const std::string& owner_id);

}  // namespace tavola::text_analyzer
