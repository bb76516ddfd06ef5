// The rules of a governed table: its design, and the table that it is paired with while it is migrated. This is the only
// implementation of TableRules.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/governed/governor.h"
#include "engine/governed/paired_table.h"
#include "engine/records/schema.h"
#include "engine/write/table_rules.h"

namespace tavola::engine {

// Immutable. Thread safety: all methods.
class DesignRules final : public TableRules {
 public:
  // One of the pointers may be null: a table is paired only while it is migrated, and a table may have its design for a migration alone.
  DesignRules(const TableSchema& table, std::shared_ptr<const Governor> governor,
              std::shared_ptr<const PairedTable> paired);

  const Governor* governor() const { return governor_.get(); }
  const PairedTable* paired() const { return paired_.get(); }
  // The design that says who may do what with the table: its own, or the one that it has for a migration alone.
  const std::shared_ptr<const Governor>& governor_for_access() const {
    return paired_ ? paired_->own : governor_;
  }
  // Returns whether all indexes of the table are those of its design. Then the design's rules have checked all index keys.
  bool has_only_indexes_of_design() const { return has_only_indexes_of_design_; }

  void append_first_keys(const ItemWrite& write, const WriteContext& context,
                         std::vector<std::string>& keys) const override;
  Result<RuledChanges> decide(const Wanted& wanted, const WriteContext& context,
                              store::RuleReads& reads) const override;
  void count(const std::vector<RuledChanges::Warning>& warnings) const override;
  std::optional<std::uint64_t> stuck_at(const ItemView& item) const override;

 private:
  bool is_enforced() const { return governor_ && governor_->enforcement != Enforcement::Off; }

  const std::shared_ptr<const Governor> governor_;
  const std::shared_ptr<const PairedTable> paired_;
  const bool has_only_indexes_of_design_;
};

// Returns the rules of a table; null when it has none.
inline const DesignRules* design_rules(const TableSchema& table) {
  return static_cast<const DesignRules*>(table.rules.get());
}
// Returns the governor of a governed table; null for others.
inline const Governor* governor_of(const TableSchema& table) {
  return table.rules ? design_rules(table)->governor() : nullptr;
}
// Returns the paired table of a table that is being migrated; null for others.
inline const PairedTable* paired_table_of(const TableSchema& table) {
  return table.rules ? design_rules(table)->paired() : nullptr;
}
// Returns the design that says who may do what with the table; null when it has none.
inline std::shared_ptr<const Governor> governor_for_access(const TableSchema& table) {
  return table.rules ? design_rules(table)->governor_for_access() : nullptr;
}

}  // namespace tavola::engine
