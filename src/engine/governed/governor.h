// The design of a governed table, ready to be asked; what was broken of it; and how a table gets one.
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
#include "design/rules/compiled_rules.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

class Catalog;

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

// Immutable, but for what is counted.
struct Governor {
  explicit Governor(design::Design of)
      : design(std::move(of)),
        plan(design),
        has_cascades(!std::ranges::all_of(design.entities, &std::vector<design::Cascade>::empty,
                                          &design::Entity::on_delete)) {}
  const design::Design design;
  const design::WritePlan plan;  // borrows the design
  const bool has_cascades;       // something goes with something else
  Enforcement enforcement = Enforcement::Strict;
  std::shared_ptr<BrokenRules> broken;
};

// The items that a pattern of the table's design answers, asked with the fields of an entity; a query or a get.
struct PatternQuestion {
  const design::Pattern& pattern;
  const Item& fields;
  std::size_t limit;
  WallTime now;
};
Result<std::vector<Item>> ask_pattern(const store::Store& store, const TableSchema& table,
                                      const PatternQuestion& question);
// The same, by pages: looks at `limit` items at most, those behind `after`.
Result<Page> pattern_page(const store::Store& store, const TableSchema& table,
                          const PatternQuestion& question, std::optional<PackedItem> after);

// The design in a file's text, for a table of this name. Fails with Validation and the first error.
Result<design::Design> load_design(std::string_view text, const std::string& file,
                                   const std::string& table_name);
// As it is stored with its table.
Result<std::string> encode_design(const std::string& text, const std::string& file);

// Of the table of this schema, from the design that is stored with it.
// `snapshot` is the one that the schema is from: so both belong together.
Result<std::shared_ptr<const Governor>> load_governor(const store::Snapshot& snapshot,
                                                      const TableSchema& schema,
                                                      std::shared_ptr<BrokenRules> broken);

// GovernTable: gives the table a design, or its design another enforcement. Fails with Validation when the design has errors
// or its keys are not the table's.
Result<GovernedBy> govern_table(Catalog& catalog, const GovernTableRequest& request);

// UpdateTable: the indexes that the table's design names stay, and are as it says. Others may come and go.
Result<void> check_index_changes(const Governor& governor, const UpdateTableRequest& request);

Result<DescribeGovernanceResponse> describe_governance(const store::Store& store, const TableSchema& schema,
                                                       const DescribeGovernanceRequest& request,
                                                       WallTime now);

}  // namespace tavola::engine
