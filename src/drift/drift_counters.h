// Counters, counted anew from all of their sources.
//
// What is counted is kept by the item it is counted on. When that grows beyond the bound, the half with the greater hashes is
// put off, again and again if need be, and the table is read once more for what was put off.
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

// Hands every item of the table to a function, page by page.
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
  // False: of some source nobody can tell what it counts on, so that counters may look wrong that are not.
  bool can_count_all() const { return can_count_all_; }

 private:
  using Numbers = std::map<std::string, Number, std::less<>>;
  struct Total {
    Item key;
    Item source;                             // the key of one that counts
    const design::Entity* entity = nullptr;  // null: the item was not seen
    Numbers counted;
    Item stored;  // the fields that count
  };
  using Totals = std::unordered_map<std::string, Total>;  // by the packed key
  // Hashes from `begin` to before `end`; an end of 0 is that of all.
  struct Share {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool has(std::uint64_t hash) const { return hash >= begin && (end == 0 || hash < end); }
  };

  Result<Totals> count(Share& share, const std::unordered_set<std::string>* only);
  Result<void> add(const Item& item, const std::function<Total*(const Item&)>& total_of);
  void put_off_half(Totals& totals, Share& share) const;
  // Stored less counted, of the fields in which they differ. Numbers that cannot be subtracted are told as they are.
  Result<Numbers> differences(const Total& total) const;
  Result<void> judge(const Total& total, const Numbers& wrong);
  Result<bool> is_remembered(const Total& total) const;
  Result<Mending> mend(const Total& total, const std::string& field, const Number& too_much) const;

  Parts parts_;
  bool can_count_all_ = true;
};

}  // namespace tavola::drift
