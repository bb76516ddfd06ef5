// Looks for writes that broke what belongs together: an item and its copies, its unique values, its references, and the counters that count it.
// The records of one transaction come apart in a stream, so these are looked at two seconds later.
//
//   copies, unique values, references   the items are read by their keys, as `tavola design drift` does
//   counters                            what the items that are counted changed by, against what the counter changed by; nothing is read
//
// One that was made right within these two seconds is not found. Of the items that a deletion should have deleted with it nothing is known.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tavola/database.h>
#include <tavola/streams.h>

#include "drift/drift_design.h"
#include "drift/drift_item.h"
#include "drift/drift_writes.h"
#include "governed/audit.h"
#include "governed/design_facts.h"

namespace tavola::governed {

class CompanionAudit {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  // Borrows the server. Counters are compared from `counts_from` on: the halves of earlier transactions may have been read before.
  CompanionAudit(Database& remote, std::shared_ptr<const DesignFacts> facts, WallTime counts_from);

  const DesignFacts& facts() const { return *facts_; }
  // Notes a change, which has both images if they exist.
  void note(const StreamRecord& record, Moment now);
  // Returns whether changes were noted long enough ago.
  bool is_due(Moment now) const;
  // Returns what is wrong with these. To be called when no large change is unfinished: copies may be late before.
  Result<std::vector<AuditFinding>> look(Moment now);
  // Returns how many changes were left out because there were too many, since the last call.
  std::uint64_t take_skipped() { return std::exchange(skipped_, 0); }

 private:
  using Numbers = std::map<std::string, Number, std::less<>>;
  struct When {
    WallTime changed{};
    Moment due{};  // to be looked at
  };
  struct Pending {
    Item key;
    When when;
  };
  struct Balance {
    Item key;            // of the item with the counters
    Numbers too_much{};  // what they changed by, minus what they should have
    When when{};
    bool is_told = false;
  };
  // An item before or after a change.
  struct Image {
    const Item& item;
    drift::Inspection inspection;
  };

  void note_companions(const Image* before, const Image* after, const Item& key, When when);
  void note_copy(const Image& image, bool is_there, const Item& key, When when);
  void note_record(const StreamRecord& record, When when);
  void note_counted(const Image* image, bool is_before, When when);
  void note_counters(const Image* before, const Image* after, const Item& key, When when);
  void add(const Item& key, const std::string& field, const Number& number, When when);
  void expect(const Item& key, When when);
  std::vector<design::DependentWrite> companions_of(const Image* image) const;
  static bool refers_elsewhere(const Image* before, const Image& after);
  Result<std::vector<AuditFinding>> look_at(const Pending& pending);

  const std::shared_ptr<const DesignFacts> facts_;
  const bool has_companions_;
  const WallTime counts_from_;
  const drift::DriftDesign design_;
  const drift::DriftWrites writes_;
  std::map<std::string, Pending, std::less<>> pending_;  // by packed key
  std::uint64_t skipped_ = 0;
  std::map<std::string, Balance, std::less<>> balances_;  // by packed key; those that balance are left out
};

}  // namespace tavola::governed
