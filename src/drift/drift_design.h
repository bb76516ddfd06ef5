// A design as drift reads it: computed values are those that can be computed again, and bounds do not stop the computing.
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

// Whether a rule gives another value at another time, or each time.
bool changes_by_itself(const design::Rule& rule);

// Thread safety: immutable.
class DriftDesign {
 public:
  explicit DriftDesign(const design::Design& design);
  DriftDesign(const DriftDesign&) = delete;
  DriftDesign& operator=(const DriftDesign&) = delete;

  // As it was given: what is right.
  const design::Design& said() const { return said_; }
  // What is computed with: automatic moments and what is made of now(), uuid() or ulid() stand as they are stored; fields are
  // not bounded, as each is checked by itself; copies that are written later count as if they were written at once.
  const design::Design& computed() const { return computed_; }
  const design::Entity& said(const design::Entity& computed) const {
    return *said_.find_entity(computed.name);
  }

  // Copies whose items nobody else may make: mirrors and fanouts of the computed design.
  std::vector<const design::Copy*> copies_to(const design::Entity& entity) const;
  bool is_copy(const design::Entity& entity) const { return !copies_to(entity).empty(); }
  bool has_counters() const;
  bool counts_on(const design::Entity& entity) const;
  // The fields of an entity that counters keep.
  std::set<std::string, std::less<>> counted_fields(const design::Entity& entity) const;

  // Fields of a copy's items that its source does not tell.
  const std::set<std::string, std::less<>>& untold(const std::string& copy) const;

  // The key of the item that a copy's item was made from; nothing when that cannot be read backwards.
  std::optional<Item> source_key(const design::Copy& copy, const Item& copied_fields) const;

  // The items that there must be when there is an entity with these fields: copies and unique guards.
  Result<std::vector<design::Companion>> expected_with(const design::Entity& entity,
                                                       const Item& fields) const;
  // What it adds to counters. Apart, so that a copy that cannot be computed leaves the counting alone.
  Result<std::vector<design::Companion>> counted_with(const design::Entity& entity, const Item& fields) const;

  // What is not looked at.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void compute_again(design::Entity& entity);
  void leave_out_untimely_copies();
  void find_untold();

  const design::Design& said_;
  design::Design computed_;
  design::Design counting_;  // with its counters alone
  design::Design copying_;   // without them
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> untold_;
  std::vector<std::string> notes_;
};

}  // namespace tavola::drift
