// The design of a governed table, compiled, and the counts of its broken rules.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

#include "base/locks.h"
#include "design/items/entity_item.h"
#include "design/model/model.h"
#include "design/rules/write_rules.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// How often each rule was broken since the database was opened. Thread safety: all methods.
class BrokenRules {
 public:
  void add(const Error& error, std::string sample_key);
  std::vector<BrokenRule> list() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, BrokenRule, std::less<>> rules_
      TAVOLA_GUARDED_BY(mutex_);  // by the place in the design
};

// Immutable, except for the counts.
struct Governor {
  explicit Governor(design::Design of)
      : design(std::move(of)),
        rules(design),
        has_cascades(std::ranges::any_of(design.entities, [](const design::Entity& entity) {
          return std::ranges::any_of(entity.on_delete, [](const design::Cascade& cascade) {
            return cascade.action != design::Cascade::Action::Restrict;
          });
        })) {}
  const design::Design design;
  const design::WriteRules rules;  // borrows the design
  const bool has_cascades;         // some entity is deleted or changed with another
  Enforcement enforcement = Enforcement::Strict;
  std::shared_ptr<BrokenRules> broken;
};

// Loads the design in a file's text, for a table of this name. Fails with Validation and the first error.
Result<design::Design> load_design(std::string_view text, const std::string& file,
                                   const std::string& table_name);
// Returns the record of a design that is stored with its table.
Result<std::string> encode_design(const std::string& text, const std::string& file);

// Loads the governor of a table from the design that is stored with it. `snapshot` is the one that the schema is from, so both belong
// together.
Result<std::shared_ptr<const Governor>> load_governor(const store::Snapshot& snapshot,
                                                      const TableSchema& schema,
                                                      std::shared_ptr<BrokenRules> broken);

// Returns the design that governs the table, which must have one.
const GovernedBy& governed_by_of(const TableDescription& table);

}  // namespace tavola::engine
