// What must stand beside an item, in other items: its copies, its unique guards, what it refers to; and of a copy or a guard,
// what it was made from. Looked up by key, one after the other.
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
    design::Moment moment{};
  };
  explicit DriftNeighbours(Parts parts) : parts_(parts) {}

  // What was found about one item; or that something changed while it was looked at, so that nothing of it counts but what
  // was mended.
  struct Found {
    std::vector<Occurrence> occurrences{};
    bool changed = false;
  };

  Result<Found> of_entity(const Item& item, const Inspection& inspection);
  Result<Found> of_record(const Item& record);

  // What could not be looked at.
  const std::set<std::string, std::less<>>& notes() const { return notes_; }

 private:
  struct Source {
    Seen seen;
    bool has_copy = false;
  };
  Result<void> check_copy(const Item& item, const Inspection& inspection, const design::Companion& copy,
                          Found& found);
  Result<void> check_guard(const Item& item, const design::Companion& guard, Found& found);
  Result<void> check_source(const Item& item, const Inspection& inspection, Found& found);
  Result<Source> source_of(const Item& item, const Inspection& inspection, bool& readable);
  Result<void> check_references(const Item& item, const Inspection& inspection, Found& found);
  Result<void> check_reference(const Item& item, const Inspection& inspection, const design::Attribute& field,
                               Found& found);
  std::optional<Item> referred_key(const Inspection& inspection, const design::Attribute& field,
                                   const Value& value) const;
  Result<bool> is_there(const Item& key);

  // Whether an item expects a companion with this key, and of this name unless it is empty.
  Result<bool> expects(const Item& item, const Item& key, const std::string& of) const;
  Result<bool> is_unchanged(const Seen& seen) const;
  Item completed_copy(const design::Companion& copy, const std::optional<Item>& stored) const;
  // Mends, unless nobody asked for it, and notes what came of it.
  template <class Write>
  Result<void> settle(Occurrence one, Found& found, Write write) const;

  Parts parts_;
  std::unordered_set<std::string> known_there_;         // packed keys that were found; emptied when it grows
  std::map<std::string, Item, std::less<>> unguarded_;  // packed keys of guards that are wanted: by whom
  std::set<std::string, std::less<>> notes_;
};

}  // namespace tavola::drift
