// A design as drift uses it: without values that cannot be computed again, and without bounds that would stop the
// computation.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tavola/value.h>

#include "design/items/dependent_writes.h"
#include "design/model/model.h"

namespace tavola::drift {

// Thread safety: immutable.
class DriftDesign {
 public:
  explicit DriftDesign(const design::Design& design);
  DriftDesign(const DriftDesign&) = delete;
  DriftDesign& operator=(const DriftDesign&) = delete;

  // The design as given: the reference.
  const design::Design& said() const { return said_; }
  // The design for computing: automatic timestamps and values made of now(), uuid() or ulid() keep their stored value;
  // fields have no bounds, because each is checked separately; async copies count as synchronous.
  const design::Design& computed() const { return computed_; }
  const design::Entity& said(const design::Entity& computed) const {
    return *said_.find_entity(computed.name);
  }

  // Returns the copies whose items are written by the design only: mirrors and fanouts of the computed
  // design.
  std::vector<const design::Copy*> copies_to(const design::Entity& entity) const;
  bool is_copy(const design::Entity& entity) const { return !copies_to(entity).empty(); }
  bool has_counters() const;
  bool counts_on(const design::Entity& entity) const;
  // Returns the fields of an entity that counters maintain.
  std::set<std::string, std::less<>> counted_fields(const design::Entity& entity) const;

  // Returns the fields of a copy's items that do not come from its source.
  const std::set<std::string, std::less<>>& unreported(const std::string& copy) const;

  // Returns the key of the source of a copy's item; nullopt if it cannot be derived.
  std::optional<Item> source_key(const design::Copy& copy, const Item& copied_fields) const;

  // Returns the items that must exist with an entity with these fields: copies and unique guards.
  Result<std::vector<design::DependentWrite>> expected_with(const design::Entity& entity,
                                                            const Item& fields) const;
  // Returns its additions to counters. Separate, so that a copy that cannot be computed does not affect the
  // counting.
  Result<std::vector<design::DependentWrite>> counted_with(const design::Entity& entity,
                                                           const Item& fields) const;

  // Returns remarks about the parts that are not checked.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void compute_again(design::Entity& entity);
  void leave_out_untimely_copies();
  void find_unreported();

  const design::Design& said_;
  design::Design computed_;
  design::Design counting_;  // the counters alone
  design::Design copying_;   // without the counters
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> untold_;
  std::vector<std::string> notes_;
};

}  // namespace tavola::drift
