// Leases: which of the fronts of a table does something alone. A lease is in a record of the table, {$owner, $count}; its holder renews it by
// counting. A front that has seen it unchanged for its time, on its own clock, takes it: clocks of fronts need not agree.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/locks.h"

namespace tavola::governed {

// Thread safety: all methods.
class Leases {
 public:
  static constexpr std::chrono::seconds kTime{10};

  Leases(std::string owner, const Clock& clock) : owner_(std::move(owner)), clock_(clock) {}
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  struct Wanted {
    Database& remote;
    std::string table_name;
    PackedItem key;           // of the record
    bool must_exist = false;  // the record is about something else, too: without it there is nothing to lease
    Item also{};              // attributes that the holder keeps there
  };
  // Takes the lease, or renews it. Returns whether this front has it.
  Result<bool> take(const Wanted& wanted);

 private:
  struct Seen {
    std::string owner;
    std::int64_t count = 0;
    WallTime since{};
  };
  // Takes the lease if it still is as it was seen; renews it without one.
  Result<bool> write(const Wanted& wanted, const Seen* seen, std::optional<Seen>& found) const;

  const std::string owner_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Seen> seen_ TAVOLA_GUARDED_BY(mutex_);  // of others, by table and key
};

}  // namespace tavola::governed
