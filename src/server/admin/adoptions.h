// Designs that take over tables with items, and checks of tables after items were brought in (drift/adopt.h), in the background while the
// server runs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/locks.h"
#include "design/model/model.h"
#include "drift/adopt.h"
#include "server/log/log.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the database, the clock and the log. The destructor stops a running adoption, which the next
// start of the server continues.
class Adoptions {
 public:
  Adoptions(Database& database, const Clock& clock, Log& log)
      : database_(database), clock_(clock), log_(log) {}
  Adoptions(const Adoptions&) = delete;
  Adoptions& operator=(const Adoptions&) = delete;

  enum class Kind : std::uint8_t {
    Adoption,
    Check,  // of items that were brought in, while the table is served
  };
  // Starts the adoption or check of the design's table. Does nothing if an adoption is already under way, or a check waits to begin.
  void start(const design::Design& design, Kind kind = Kind::Adoption);
  // Waits until no adoption is under way, but not longer than `most`.
  void wait(std::chrono::milliseconds most);
  // Waits until no adoption or check of the table is under way, or the caller stops.
  void wait_for(const std::string& table, const std::atomic<bool>& is_stopping);

  // The latest adoption or check of a table since the server started.
  struct Status {
    Kind kind = Kind::Adoption;
    bool is_running = false;
    std::string doing{};
    std::uint64_t items = 0;
    std::uint64_t expected = 0;               // 0: unknown
    std::optional<drift::Adopted> adopted{};  // if it has ended
    std::string failure{};                    // why it ended without a result
  };
  // Returns nullopt if there was none.
  std::optional<Status> status(const std::string& table) const;
  // Returns how far the adoption of a design is, for people; nullopt if none is under way.
  std::optional<std::string> why_not_yet(const design::Design& design) const;

 private:
  void work(const std::stop_token& stop);
  struct Job {
    std::shared_ptr<const design::Design> design;
    Kind kind = Kind::Adoption;
  };
  void perform(const Job& job, const std::stop_token& stop);
  // Returns whether the table of the job is being restored: its adoption waits.
  bool is_early(const Job& job);
  void log_result(const Job& job, const drift::Adopted& adopted);

  Database& database_;
  const Clock& clock_;
  Log& log_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> waiting_ TAVOLA_GUARDED_BY(mutex_);
  std::map<std::string, Status, std::less<>> statuses_ TAVOLA_GUARDED_BY(mutex_);  // by table
  std::size_t running_ TAVOLA_GUARDED_BY(mutex_) = 0;                              // waiting ones included
  std::jthread thread_;  // ends first: it uses the others
};

// {"running": true, "doing": "reading", "items": 10, "expected": 100}
std::string to_json(const Adoptions::Status& status);

}  // namespace tavola::server
