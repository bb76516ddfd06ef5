// The findings of drift so far: counts, and a few samples of each kind.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drift/drift.h"
#include "drift/drift_writes.h"

namespace tavola::drift {

// One occurrence of a difference.
struct Occurrence {
  DriftRule rule = DriftRule::Table;
  std::string about{};
  DriftSample sample{};
  bool can_be_computed = false;
  bool mended = false;
  std::string why_left{};

  void settle(const Mending& mending) {
    mended = mending.outcome == Mending::Outcome::Done;
    why_left = mending.reason;
  }
};

class DriftLedger {
 public:
  explicit DriftLedger(std::size_t samples_max) : samples_max_(samples_max) {}

  void add(Occurrence one, std::uint64_t times = 1) {
    DriftFinding& finding = findings_[{one.rule, one.about}];
    finding.rule = one.rule;
    finding.about = std::move(one.about);
    finding.count += times;
    if (one.can_be_computed) finding.computable += times;
    if (one.mended) finding.mended += times;
    if (finding.why_left.empty()) finding.why_left = std::move(one.why_left);
    if (finding.samples.size() < samples_max_) finding.samples.push_back(std::move(one.sample));
  }

  std::vector<DriftFinding> take() && {
    std::vector<DriftFinding> all;
    all.reserve(findings_.size());
    for (auto& [what, finding] : findings_) all.push_back(std::move(finding));
    return all;
  }

 private:
  std::size_t samples_max_;
  std::map<std::pair<DriftRule, std::string>, DriftFinding> findings_;
};

}  // namespace tavola::drift
