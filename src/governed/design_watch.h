// Watches the record that names the design of each table (table_governor.h): a front writes only while it knows that the design is its own.
//
// Every front looks every five seconds, and four times in a second while the design changes. One that sees another design stops writing,
// waits until all others have stopped, too, and then follows: it has the new design from the record. One that could not look for longer
// than that stops until it can. So no write by the old design comes after the first one by the new design. No clocks are compared.
//
//   announced   the record names the next design: fronts look more often                       for `announced`
//   in force    the record has the next design: fronts stop, and follow when all have stopped  for `settles`
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <tavola/error.h>

#include "base/locks.h"

namespace tavola::governed {

struct WatchTimes {
  std::chrono::milliseconds between{5'000};
  // A front that has not looked for so long does not write.
  std::chrono::milliseconds valid{6'000};
  // Both while the design changes.
  std::chrono::milliseconds between_in_change{250};
  std::chrono::milliseconds valid_in_change{1'500};
  // From the announcement of a design until it is put in force: no less than `valid`.
  std::chrono::milliseconds announced{6'000};
  // Until all fronts have stopped and their writes are over: `valid_in_change`, and two seconds for a write.
  std::chrono::milliseconds settles{3'500};
};

// The design that the record of a table names.
struct DesignInForce {
  std::string digest{};      // empty: there is no record
  bool is_adopting = false;  // its items are checked; until then violations are counted
  bool is_changing = false;  // it is being checked, or the next design is announced
};

// Thread safety: all methods.
class DesignWatch {
 public:
  using Look = std::function<Result<DesignInForce>(const std::string& table_name)>;
  // Has this front enforce what the record says. Called when all others have stopped.
  using Follow = std::function<Result<void>(const std::string& table_name)>;
  DesignWatch(Look look, Follow follow, WatchTimes times)
      : look_(std::move(look)), follow_(std::move(follow)), times_(times) {}
  ~DesignWatch() { stop(); }
  DesignWatch(const DesignWatch&) = delete;
  DesignWatch& operator=(const DesignWatch&) = delete;
  // Looks no more.
  void stop();

  // This front enforces the design with this digest as of now. Begins to look.
  void expect(const std::string& table_name, const DesignInForce& design);
  void forget(const std::string& table_name);
  // Fails with Throttling, which clients repeat, if it is not certain that the design is in force.
  Result<void> check(std::string_view table_name) const;
  // Looks at the records of all tables, and follows those that have changed.
  void look();

  const WatchTimes& times() const { return times_; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct Watched {
    DesignInForce enforced;
    Moment seen{};
    Moment other_since{};  // if it is another one
    bool is_other = false;
    bool is_changing = false;
    std::string why_not_followed{};
  };

  void start() TAVOLA_REQUIRES(mutex_);
  std::chrono::milliseconds until_next_look() const;
  // Notes what was seen. Returns whether this front must follow now.
  bool note(const std::string& table_name, const DesignInForce& now, Moment asked);
  void note_failure(const std::string& table_name, const Error& why);

  const Look look_;
  const Follow follow_;
  const WatchTimes times_;
  mutable SharedMutex mutex_;
  std::map<std::string, Watched, std::less<>> tables_ TAVOLA_GUARDED_BY(mutex_);
  std::mutex waiting_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // ends first: it uses the others
};

}  // namespace tavola::governed
