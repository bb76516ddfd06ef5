// The facts of a design that the comparison of items needs: which attributes a rule looks at even if an item lacks them, and which
// counters may be changed by adding to them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

#include "base/clock.h"
#include "base/locks.h"
#include "design/model/model.h"

namespace tavola::governed {

using AttributeSet = std::set<std::string, std::less<>>;

// Immutable. Thread safety: all methods.
class DesignFacts {
 public:
  // `strict_since`: from when on the fronts of the table have refused what breaks the design; nullopt: they only count it.
  explicit DesignFacts(std::shared_ptr<const design::Design> design,
                       std::optional<WallTime> strict_since = {});

  const design::Design& design() const { return *design_; }
  // Returns whether a front would have refused a write that broke the design at this time, of DynamoDB's clock.
  bool refused_at(WallTime time) const;
  // Returns whether the item is one of Tavola's own, under a key that begins with '$'.
  bool is_record(const ItemView& item) const;

  // Returns the attributes that a rule looks at in an item of this entity, which may be absent: those that the entity declares, and
  // those of the indexes.
  AttributeSet looked_at(const Item& item) const;
  // Returns whether all that changes are counters that nothing else of the design depends on, so that adding to them is enough.
  bool changes_counters_alone(const Item& before, const Item& after) const;
  // Returns whether rules about other items look only at the existence of an item like this.
  bool matters_by_existence(const Item& item) const;

 private:
  struct EntityFacts {
    AttributeSet looked_at;
    AttributeSet counters;  // that may be added to
    bool matters_by_existence = true;
  };

  EntityFacts facts_of(const design::Entity& entity) const;
  const EntityFacts* find(const Item& item) const;

  const std::shared_ptr<const design::Design> design_;
  const std::optional<WallTime> strict_since_;
  AttributeSet of_indexes_;
  std::map<std::string, EntityFacts, std::less<>> entities_;
};

// The tables that a front governs, by name. Thread safety: all methods.
class GovernedTables {
 public:
  // Returns null for a table that is not governed.
  std::shared_ptr<const DesignFacts> find(std::string_view table_name) const;
  void set(const std::string& table_name, std::shared_ptr<const DesignFacts> facts);
  void erase(std::string_view table_name);
  std::vector<std::shared_ptr<const DesignFacts>> all() const;

 private:
  mutable SharedMutex mutex_;
  std::map<std::string, std::shared_ptr<const DesignFacts>, std::less<>> tables_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::governed
