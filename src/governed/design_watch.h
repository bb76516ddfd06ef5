// Watches the record that names the design of each table (table_governor.h): a front writes only while it knows that the design is its own.
//
// Every front looks every five seconds. One that sees another design, or none, stops writing to the table until it is started again; so does one
// that could not look for longer than that, until it can. A front that gives a table another design waits, after it has written the record, until
// all others have looked. So no write by the old design comes after the first one by the new design.
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
  // Until everybody has looked and the writes that had begun are over.
  std::chrono::milliseconds until_all_know{10'000};
};

// Thread safety: all methods.
class DesignWatch {
 public:
  // Returns the digest in the record of a table; empty: there is no record.
  using Look = std::function<Result<std::string>(const std::string& table_name)>;
  DesignWatch(Look look, WatchTimes times) : look_(std::move(look)), times_(times) {}
  ~DesignWatch();
  DesignWatch(const DesignWatch&) = delete;
  DesignWatch& operator=(const DesignWatch&) = delete;

  // Begins to watch the record of a table, which must name the design with this digest.
  void expect(const std::string& table_name, const std::string& digest);
  void forget(const std::string& table_name);
  // Fails with Throttling, which clients repeat, if it is not certain that the design is in force.
  Result<void> check(std::string_view table_name) const;
  // Looks at the records of all tables.
  void look();

  const WatchTimes& times() const { return times_; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct Watched {
    std::string digest;
    Moment seen{};
    bool is_other = false;
  };

  void start() TAVOLA_REQUIRES(mutex_);

  const Look look_;
  const WatchTimes times_;
  mutable SharedMutex mutex_;
  std::map<std::string, Watched, std::less<>> tables_ TAVOLA_GUARDED_BY(mutex_);
  std::mutex waiting_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // ends first: it uses the others
};

}  // namespace tavola::governed
