// Capacity units of one kind of one table or index: they come in at a steady rate, and what is not used is kept for a while.
//
// "DynamoDB currently retains up to 5 minutes (300 seconds) of unused read and write capacity" (Developer Guide, "Burst
// capacity"). What a request costs is known only when it is done, so that it is let in while there are units at all, and may
// leave fewer than none: the next one waits longer.
#pragma once

#include "base/clock.h"

namespace tavola::server {

inline constexpr double kBurstSeconds = 300;

// Time is given: the same calls always end the same. Invariant: there are never more units than 300 seconds bring.
class Bucket {
 public:
  // A table that is new has not left anything unused yet, and may use what a second brings.
  Bucket(double units_per_second, WallTime now) : rate_(units_per_second), units_(rate_), then_(now) {}

  double rate() const { return rate_; }
  // From now on. What is there is kept, as far as the new rate allows.
  void change_rate(double units_per_second, WallTime now);

  double units(WallTime now);
  bool has_units(WallTime now) { return units(now) > 0; }
  // Fewer than none gives units back.
  void take(double units, WallTime now);

 private:
  double rate_;
  double units_;
  WallTime then_;
};

}  // namespace tavola::server
