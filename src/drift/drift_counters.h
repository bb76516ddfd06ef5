// Counters, counted again from all of their sources.
//
// Totals are kept by the item with the counter. If they exceed the bound, the half with the greater hashes is
// postponed, repeatedly if necessary, and the table is read once more for the postponed part.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <tavola/value.h>

#include "drift/drift_design.h"
#include "drift/drift_ledger.h"
#include "drift/drift_writes.h"

namespace tavola::drift {

// Calls a function with every item of the table, page by page.
using EachItem = std::function<Result<void>(const std::function<Result<void>(const Item&)>& look)>;

class DriftCounters {
 public:
  struct Parts {
    const DriftDesign& design;
    const DriftWrites& writes;
    EachItem each_item;
    DriftLedger& ledger;
    std::size_t totals_max = 0;
    bool repair = false;
  };
  explicit DriftCounters(Parts parts) : parts_(std::move(parts)) {}

  Result<void> run();
  // Returns false if the target of some source is unknown, so that correct counters may look wrong.
  bool can_count_all() const { return can_count_all_; }

 private:
  using Numbers = std::map<std::string, Number, std::less<>>;
  struct Total {
    Item key;
    Item source;                             // the key of one source
    const design::Entity* entity = nullptr;  // null: the item was not seen
    Numbers counted;
    Item stored;   // its counter fields
    Item created;  // the item without its counters, if its first count creates it
  };
  using Totals = std::unordered_map<std::string, Total>;  // by the packed key
  // Hashes from `begin` to before `end`; an end of 0 means no upper end.
  struct Share {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool has(std::uint64_t hash) const { return hash >= begin && (end == 0 || hash < end); }
  };

  Result<Totals> count(Share& share, const std::unordered_set<std::string>* only);
  Result<void> add(const Item& item, const std::function<Total*(const Item&)>& total_of);
  void put_off_half(Totals& totals, Share& share) const;
  // Returns stored minus counted for the fields in which they differ. Numbers that cannot be subtracted are reported
  // as they are.
  Result<Numbers> differences(const Total& total) const;
  Result<void> judge(const Total& total, const Numbers& wrong);
  Result<void> judge_missing(const Total& total);
  Result<bool> is_remembered(const Total& total) const;
  Result<Mending> mend(const Total& total, const std::string& field, const Number& too_much) const;

  Parts parts_;
  bool can_count_all_ = true;
};

}  // namespace tavola::drift
