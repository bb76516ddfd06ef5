// Designs that take over tables with items, or tables of older designs, and checks of tables after items were brought in (drift/adopt.h), in
// the background while the server runs.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

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
  struct Wishes {
    bool create_table = false;                          // if it is missing
    bool delete_indexes = false;                        // AdoptOptions::delete_indexes
    std::function<void(const design::Design&)> then{};  // called when the design governs the table
  };
  // Starts the adoption of the design's table; does nothing if it is already under way with the same wishes. A running adoption of
  // another version of the design, or one that leaves the indexes which this one deletes, ends first, incomplete.
  void start(const design::Design& design, Wishes wishes);
  // Starts a check of the design's table; does nothing if one waits to begin. The design that governs the table when the check begins is
  // used.
  void check(const design::Design& design);
  // Stops a running adoption or check, as the destructor does. Those that are started afterwards do not begin.
  void stop();
  bool is_idle() const;
  // Waits until no adoption or check is under way, but not longer than `most`.
  void wait(std::chrono::milliseconds most);
  // Waits until no adoption or check of the table is under way, or the caller stops.
  void wait_for(const std::string& table, const std::atomic<bool>& is_stopping);

  // The latest adoption or check of a design and a table since the server started.
  struct Status {
    Kind kind = Kind::Adoption;
    std::uint64_t number = 0;  // in the order of their starts
    bool is_running = false;
    bool deletes_indexes = false;  // Wishes::delete_indexes
    std::string doing{};
    std::uint64_t items = 0;
    std::uint64_t expected = 0;               // 0: unknown
    std::optional<drift::Adopted> adopted{};  // if it has ended
    std::string failure{};                    // why it ended without a result
    std::shared_ptr<const design::Design> design{};
  };
  // Returns that of the adoption of a design; nullopt if there was none.
  std::optional<Status> status(const design::Design& design) const;
  // Returns the latest one of a table.
  std::optional<Status> status_of_table(std::string_view table, Kind kind = Kind::Adoption) const;
  // Returns how far the adoption of a design is, for people; nullopt if its patterns and operations can be used: none is under way,
  // or that of another version, which has no roles and is not served yet.
  std::optional<std::string> why_not_yet(const design::Design& design) const;

 private:
  struct Key {
    std::string table;
    std::string design;
    Kind kind = Kind::Adoption;
    auto operator<=>(const Key&) const = default;
  };
  struct Task {
    std::shared_ptr<const design::Design> design;
    Kind kind = Kind::Adoption;
    Wishes wishes{};
    std::uint64_t number = 0;
  };
  static Key key_of(const design::Design& design, Kind kind = Kind::Adoption) {
    return {design.table.name, design.name, kind};
  }
  static Key key_of(const Task& task) { return key_of(*task.design, task.kind); }
  bool is_latest(const Task& task) const TAVOLA_REQUIRES(mutex_) {
    return statuses_.at(key_of(task)).number == task.number;
  }
  bool is_busy(std::string_view table) const TAVOLA_REQUIRES(mutex_);
  // Has the task wait for its turn, instead of one that waits for the same.
  void add(Task task) TAVOLA_REQUIRES(mutex_);
  // Returns whether the table of the task is being restored: the task waits.
  bool is_early(const Task& task);
  void work(const std::stop_token& stop);
  void perform(const Task& task, const std::stop_token& stop);
  Result<drift::Adopted> result_of(const Task& task, const drift::AdoptOptions& options);
  void note_end(const Task& task, Result<drift::Adopted> adopted);
  void log_result(const Task& task, const drift::Adopted& adopted);

  Database& database_;
  const Clock& clock_;
  Log& log_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Task> waiting_ TAVOLA_GUARDED_BY(mutex_);
  std::map<Key, Status> statuses_ TAVOLA_GUARDED_BY(mutex_);
  std::uint64_t last_number_ TAVOLA_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // ends first: it uses the others
};

// {"running": true, "doing": "reading", "items": 10, "expected": 100}
std::string to_json(const Adoptions::Status& status);

}  // namespace tavola::server
