// Capacity units of one kind of one table or index: they accrue at a steady rate, and unused ones are kept for a while.
//
// "DynamoDB currently retains up to 5 minutes (300 seconds) of unused read and write capacity" (Developer Guide, "Burst
// capacity"). The cost of a request is known only afterwards, so a request is admitted if any units are left, and may
// make the balance negative: the next one waits longer.
#pragma once

#include "base/clock.h"

namespace tavola::server {

inline constexpr double kBurstSeconds = 300;

// Time is a parameter: equal calls give equal results. Invariant: the balance never exceeds the units of 300
// seconds.
class Bucket {
 public:
  // A new table has no unused units yet, and starts with those of one second.
  Bucket(double units_per_second, WallTime now) : rate_(units_per_second), units_(rate_), then_(now) {}

  double rate() const { return rate_; }
  // Takes effect now. Keeps the balance as far as the new rate allows.
  void change_rate(double units_per_second, WallTime now);

  double units(WallTime now);
  bool has_units(WallTime now) { return units(now) > 0; }
  // A negative number returns units.
  void take(double units, WallTime now);

 private:
  double rate_;
  double units_;
  WallTime then_;
};

}  // namespace tavola::server
