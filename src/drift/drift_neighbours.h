// Checks the items that belong to an item: its copies, its unique guards, the targets of its references; and for a copy
// or a guard, its source. Each is read by key, one after the other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "drift/drift_design.h"
#include "drift/drift_item.h"
#include "drift/drift_ledger.h"
#include "drift/drift_writes.h"

namespace tavola::drift {

class DriftNeighbours {
 public:
  struct Parts {
    const DriftDesign& design;
    const DriftWrites& writes;
    bool repair = false;
    design::Ambient ambient{};
  };
  explicit DriftNeighbours(Parts parts) : parts_(parts) {}

  // The findings about one item; or the fact that something changed during the check, so that only the repairs count.
  struct Found {
    std::vector<Occurrence> occurrences{};
    bool changed = false;
  };

  Result<Found> of_entity(const Item& item, const Inspection& inspection);
  Result<Found> of_record(const Item& record);

  // Returns remarks about the parts that could not be checked.
  const std::set<std::string, std::less<>>& notes() const { return notes_; }

 private:
  struct Source {
    Seen seen;
    bool has_copy = false;
  };
  Result<void> check_copy(const Item& item, const Inspection& inspection, const design::DependentWrite& copy,
                          Found& found);
  Result<void> check_guard(const Item& item, const design::DependentWrite& guard, Found& found);
  Result<void> check_source(const Item& item, const Inspection& inspection, Found& found);
  Result<Source> source_of(const Item& item, const Inspection& inspection, bool& readable);
  Result<void> check_references(const Item& item, const Inspection& inspection, Found& found);
  Result<void> check_reference(const Item& item, const Inspection& inspection, const design::Attribute& field,
                               Found& found);
  Result<bool> is_there(const Item& key);

  // Returns whether an item expects a companion with this key, and with this name unless it is empty.
  Result<bool> expects(const Item& item, const Item& key, const std::string& of) const;
  Result<bool> is_unchanged(const Seen& seen) const;
  Item completed_copy(const design::DependentWrite& copy, const std::optional<Item>& stored) const;
  // Repairs if requested, unless `why_left` says why that is not possible, and records the outcome.
  template <class Write>
  Result<void> settle(Occurrence one, Found& found, Write write) const;

  Parts parts_;
  std::unordered_set<std::string> known_there_;         // packed keys of existing items; bounded
  std::map<std::string, Item, std::less<>> unguarded_;  // packed keys of missing guards: their items
  std::set<std::string, std::less<>> notes_;
};

}  // namespace tavola::drift
