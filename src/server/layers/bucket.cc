#include "server/layers/bucket.h"

#include <algorithm>

namespace tavola::server {

void Bucket::change_rate(double units_per_second, WallTime now) {
  static_cast<void>(units(now));  // credits the time so far at the old rate
  rate_ = units_per_second;
  units_ = std::min(units_, rate_ * kBurstSeconds);
}

double Bucket::units(WallTime now) {
  // A clock that was set back adds and removes nothing.
  const std::chrono::duration<double> passed = std::max(now - then_, WallTime::duration::zero());
  then_ = now;
  units_ = std::min(units_ + rate_ * passed.count(), rate_ * kBurstSeconds);
  return units_;
}

void Bucket::take(double used, WallTime now) { units_ = std::min(units(now) - used, rate_ * kBurstSeconds); }

}  // namespace tavola::server
